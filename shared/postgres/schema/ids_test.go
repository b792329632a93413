package schema_test

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/postgres/schema"
)

// Statements as the functions of the release before 0085 send them.
const (
	earlierType  = `INSERT INTO membership_types (organisation_id, name) VALUES ($1, $2) RETURNING id`
	earlierRetry = `INSERT INTO import_column_mappings (job_id, id, organisation_id, column_index, source_header, status)
		SELECT (SELECT max(id) FROM import_jobs), id, organisation_id, column_index, source_header, status FROM import_column_mappings RETURNING id`
)

// Ids of an upgraded database are above all that have ever been given out there: those of rows, those
// that waiting plans have taken from a sequence, and those of rows that an undo may bring back. From
// then on each organisation counts for itself, also for functions of the earlier release.
func TestIDsContinueAboveExistingOnes(t *testing.T) {
	t.Parallel()
	server, owner := inPublic(t)
	observer := observe(t, server, "owned")
	_, err := observer.Exec(t.Context(), `
		INSERT INTO organisations (id, name) VALUES (1, 'One'), (2, 'Two');
		INSERT INTO membership_types (id, organisation_id, name) VALUES (700, 2, 'with an id');
		INSERT INTO persons (organisation_id, identity_key, first_name, last_name) SELECT 1, n::text, 'A', 'B' FROM generate_series(1, 5) AS n;
		DELETE FROM persons;
		INSERT INTO import_jobs (uuid, organisation_id, import_type, mode, original_filename, object_key, size_bytes, request_id)
			SELECT gen_random_uuid(), 1, 'USER', 'insert', 'u.csv', 'uploads/1/u', 1, 'r' FROM generate_series(1, 2);
		INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, status) VALUES (1, 1, 0, 'A', 'IGNORED');
		SELECT setval(pg_get_serial_sequence('membership_types', 'id'), 800)`)
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{}))
	require.NoError(t, err)

	app := connect(t, server.URL("loadbay_app", "only-for-tests", "owned"))
	insert := func(organisation int, sql string, args ...any) (id int64) {
		require.NoError(t, pgx.BeginFunc(t.Context(), app, func(tx pgx.Tx) error {
			if _, err := tx.Exec(t.Context(), `SELECT set_config('app.organisation', $1::int::text, true)`, organisation); err != nil {
				return err
			}
			return tx.QueryRow(t.Context(), sql, args...).Scan(&id)
		}))
		return id
	}
	_, err = observer.Exec(t.Context(), `INSERT INTO organisations (id, name) VALUES (3, 'Three')`)
	require.NoError(t, err)
	require.Equal(t, []int64{801, 801, 802, 1, 803}, []int64{
		insert(1, earlierType, 1, "a"), insert(2, earlierType, 2, "a"), insert(2, earlierType, 2, "b"), insert(3, earlierType, 3, "a"), insert(2, earlierType, 2, "c"),
	})
	require.Equal(t, int64(1), insert(1, earlierRetry), "the mappings of a retry keep their ids")
	var kept, forced int64
	require.NoError(t, observer.QueryRow(t.Context(), `
		SELECT (SELECT id FROM membership_types WHERE name = 'with an id'),
			(SELECT count(*) FROM pg_class WHERE relnamespace = ANY ('{loadbay,sample}'::regnamespace[]) AND relrowsecurity AND NOT relforcerowsecurity)`).Scan(&kept, &forced))
	require.Equal(t, []int64{700, 0}, []int64{kept, forced})
}

// A table of somebody else that refers to an id alone would refer to a row of any organisation.
func TestMigrateNamesReferencesToIDsAlone(t *testing.T) {
	t.Parallel()
	server, owner := inPublic(t)
	observer := observe(t, server, "owned")
	_, err := observer.Exec(t.Context(), `
		CREATE TABLE public.badges (organisation_id bigint NOT NULL, person_id bigint NOT NULL REFERENCES persons);
		ALTER TABLE public.badges OWNER TO the_owner`)
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{}))
	require.ErrorContains(t, err, "badges_person_id_fkey of public.badges refers to the id of persons alone")
	_, err = observer.Exec(t.Context(), `
		ALTER TABLE public.badges DROP CONSTRAINT badges_person_id_fkey, ADD FOREIGN KEY (organisation_id, person_id) REFERENCES persons (organisation_id, id)`)
	require.NoError(t, err)
	_, err = schema.Migrate(t.Context(), owner, schema.Roles(schema.Passwords{}))
	require.NoError(t, err)
}
