package schema_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/migrations"
	mapping "github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/postgres/schema"
	"github.com/loadbay/loadbay/shared/testing/pglaunch"
)

// TestMigrateRememberedMappingsToProfile: the migration creates profiles that are not applied
// automatically and contain no guesses.
func TestMigrateRememberedMappingsToProfile(t *testing.T) {
	t.Parallel()
	server, err := pglaunch.StartTemporary(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, server.Stop(context.Background())) })
	_, err = server.EnsureMasterRole(t.Context(), "the_owner", "only-for-tests", "owned")
	require.NoError(t, err)
	observer := observe(t, server, "owned")
	_, err = observer.Exec(t.Context(), `CREATE ROLE loadbay_app; CREATE ROLE loadbay_maintenance; CREATE ROLE loadbay_operator`)
	require.NoError(t, err)
	owner, err := pgx.ParseConfig(server.URL("the_owner", "only-for-tests", "owned"))
	require.NoError(t, err)
	earlier, err := goose.NewProvider(goose.DialectPostgres, stdlib.OpenDB(*owner), migrations.Files)
	require.NoError(t, err)
	_, err = earlier.UpTo(t.Context(), 36)
	require.NoError(t, err)
	_, err = observer.Exec(t.Context(), `
		INSERT INTO organisations (id, name) VALUES (1, 'One'), (2, 'Two'), (3, 'Three');
		INSERT INTO import_column_decisions (organisation_id, import_type, header_key, header, target_field) VALUES
			(1, 'MEMBERSHIP', 'vorname', 'Vorname?', 'FIRST_NAME'), (1, 'MEMBERSHIP', 'shoesize', 'Shoe size', NULL),
			(1, 'MEMBERSHIP', 'name', 'Name', 'LAST_NAME'), (1, 'MEMBERSHIP', 'nom', 'Nom', 'LAST_NAME'),
			(1, 'MEMBERSHIP', 'long', repeat('x', 301), 'EMAIL'),
			(1, 'USER', 'mailto', 'Mail to', 'EMAIL'), (2, 'USER', 'post', 'Post', 'EMAIL');
		INSERT INTO import_cell_decisions (organisation_id, import_type, target_field, value_key, source_value, target_entity_id, create_new) VALUES
			(1, 'MEMBERSHIP', 'MEMBERSHIP_TYPE_ID', 'veteran', 'Veteran', '7', false), (1, 'MEMBERSHIP', 'MEMBERSHIP_TYPE_ID', 'none', 'None', NULL, false),
			(1, 'MEMBERSHIP', 'MEMBERSHIP_TYPE_ID', 'new', 'New', NULL, true), (1, 'MEMBERSHIP', 'ID_COUNTRY', 'odd', 'Odd', 'x', false)`)
	require.NoError(t, err)

	_, err = server.EnsureMasterRole(t.Context(), "the_owner", "only-for-tests", "owned")
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{}))
	require.NoError(t, err)
	type made struct {
		Organisation  int64
		Type, Name    string
		Auto          bool
		Version, Kept int
		Headers       []string
		Mapping       json.RawMessage
	}
	rows, err := observer.Query(t.Context(), `
		SELECT p.organisation_id, p.import_type, p.name, p.auto, p.version, v.version, v.headers, v.mapping
		FROM import_profiles AS p JOIN import_profile_versions AS v ON v.profile_id = p.id AND v.organisation_id = p.organisation_id
		ORDER BY p.organisation_id, p.import_type`)
	require.NoError(t, err)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[made])
	require.NoError(t, err)
	require.Len(t, found, 3)
	for i, want := range []struct {
		organisation int64
		importType   string
		headers      []string
		mapping      string
	}{
		{1, "MEMBERSHIP", []string{"Vorname?", "Shoe size"}, `{
			"fields": [{"field": "FIRST_NAME", "from": ["Vorname?"]}], "ignore": ["Shoe size"],
			"values": [
				{"field": "MEMBERSHIP_TYPE_ID", "value": "Veteran", "toId": "7"}, {"field": "MEMBERSHIP_TYPE_ID", "value": "None", "then": "skip"},
				{"field": "MEMBERSHIP_TYPE_ID", "value": "New", "then": "create"}]}`},
		{1, "USER", []string{"Mail to"}, `{"fields": [{"field": "EMAIL", "from": ["Mail to"]}]}`},
		{2, "USER", []string{"Post"}, `{"fields": [{"field": "EMAIL", "from": ["Post"]}]}`},
	} {
		require.Equal(t, made{want.organisation, want.importType, "Remembered", false, 1, 1, want.headers, found[i].Mapping}, found[i])
		require.JSONEq(t, want.mapping, string(found[i].Mapping))
		_, err := mapping.Parse(found[i].Mapping)
		require.NoError(t, err)
	}
}
