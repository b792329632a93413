package article_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/article"
	"github.com/loadbay/loadbay/shared/entity/entitytest"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const (
	author        = "00000000-0000-4000-8000-0000000000a1"
	foreignAuthor = "00000000-0000-4000-8000-0000000000f2" // an author of organisation 2
	id1           = "00000000-0000-4000-8000-000000000001"
	id2           = "00000000-0000-4000-8000-000000000002"
)

var fields = []string{"id", "slug", "title", "body", "author_id", "tags"}

func setup(t *testing.T) *postgrestest.Database {
	t.Helper()
	d := postgrestest.Setup(t)
	d.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, $1, 'a@x.org', 'A'), (2, $2, 'b@x.org', 'B')`, author, foreignAuthor)
	return d
}

func write(t *testing.T, d *postgrestest.Database, mode rowwrite.Mode, source int64, rows ...[]string) []string {
	t.Helper()
	b := entitytest.Batch(t, article.New(), mode, source, fields, rows...)
	require.NoError(t, d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error {
		return article.New().Write(context.Background(), tx, b)
	}))
	return entitytest.Outcomes(b)
}

func table(t *testing.T, d *postgrestest.Database) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, d, `
		SELECT array_agg(concat_ws(' ', slug, title, tags, status) ORDER BY slug) FROM articles`)
}

func TestInsertRejectsMissingAuthorOrTakenSlug(t *testing.T) {
	t.Parallel()
	d := setup(t)
	require.Equal(t, []string{
		"created", "AUTHOR_ID REFERENCE_NOT_FOUND", "AUTHOR_ID REFERENCE_NOT_FOUND", "SLUG ROW_DUPLICATE", "created",
	}, write(t, d, rowwrite.Insert, 1,
		[]string{id1, "one", "One", "…", author, `{"go","a|b","with \"quotes\""}`},
		[]string{"", "two", "Two", "…", id2, ""},
		[]string{"", "three", "Three", "…", foreignAuthor, ""},
		[]string{"", "one", "One again", "…", author, ""},
		[]string{"", "five", "Five", "…", author, ""},
	))
	require.Equal(t, []string{`five Five {} draft`, `one One {go,a|b,"with \"quotes\""} draft`}, table(t, d))
	require.Equal(t, []string{"SLUG ALREADY_EXISTS"}, write(t, d, rowwrite.Insert, 2, []string{"", "five", "Other", "…", author, ""}))
}

func TestUpsertMatchesByIDOrSlug(t *testing.T) {
	t.Parallel()
	d := setup(t)
	write(t, d, rowwrite.Insert, 1,
		[]string{id1, "one", "One", "…", author, `{"kept"}`},
		[]string{id2, "two", "Two", "…", author, `{"old"}`})
	require.Equal(t, []string{"updated", "updated", "created", "SLUG ROW_DUPLICATE"}, write(t, d, rowwrite.Upsert, 2,
		[]string{id1, "uno", "Uno", "…", author, ""},
		[]string{"", "two", "Dos", "…", author, `{"new"}`},
		[]string{"", "three", "Tres", "…", author, ""},
		[]string{id1, "two", "not its slug", "…", author, ""},
	))
	require.Equal(t, []string{"three Tres {} draft", "two Dos {new} draft", "uno Uno {kept} draft"}, table(t, d))
}
