package eventcategory_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/entitytest"
	"github.com/loadbay/loadbay/shared/entity/eventcategory"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// importCategories imports names into an event.
func importCategories(t *testing.T, d *postgrestest.Database, mode rowwrite.Mode, source, event int64, names ...string) (*entity.Batch, []string) {
	t.Helper()
	of := eventcategory.New()
	rows := make([][]string, len(names))
	for i, name := range names {
		rows[i] = []string{name}
	}
	b := entitytest.Batch(t, of, mode, source, []string{"name"}, rows...)
	b.Context = event
	require.NoError(t, d.DB.InOrganisation(context.Background(), 1, func(tx pgx.Tx) error { return of.Write(context.Background(), tx, b) }))
	return b, entitytest.Outcomes(b)
}

func TestNamesUniquePerEventIgnoringCase(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (1, 1, 'Relay'), (2, 1, 'Sprint')`)
	_, out := importCategories(t, d, rowwrite.Insert, 1, 1, "Open", "Junior", "OPEN")
	require.Equal(t, []string{"created", "created", "NAME ROW_DUPLICATE"}, out)
	_, out = importCategories(t, d, rowwrite.Insert, 2, 1, "open", "Veterans")
	require.Equal(t, []string{"NAME ALREADY_EXISTS", "created"}, out)
	_, out = importCategories(t, d, rowwrite.Insert, 3, 2, "Open")
	require.Equal(t, []string{"created"}, out, "another event may reuse the name")
	_, out = importCategories(t, d, rowwrite.Upsert, 4, 1, "OPEN", "Elite")
	require.Equal(t, []string{"updated", "created"}, out)
	require.Equal(t, []string{"Elite", "Junior", "OPEN", "Veterans"},
		postgrestest.Query[[]string](t, d, `SELECT array_agg(name ORDER BY name) FROM event_categories WHERE event_id = 1`))
	require.Equal(t, []string{"Open"}, postgrestest.Query[[]string](t, d, `SELECT array_agg(name) FROM event_categories WHERE event_id = 2`))
}

// Chunks are written in any order: the earlier row wins, regardless of case.
func TestEarlierRowDisplacesLaterRow(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	d.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (1, 1, 'Relay')`)
	d.Exec(t, `INSERT INTO event_categories (organisation_id, event_id, name, source_job, source_row) VALUES (1, 1, 'OPEN', 7, 90)`)
	b, out := importCategories(t, d, rowwrite.Insert, 7, 1, "Open")
	require.Equal(t, []string{"created"}, out)
	require.Len(t, b.Displaced, 1)
	require.Equal(t, int64(90), b.Displaced[0].Row)
	require.Equal(t, []string{"Open"}, postgrestest.Query[[]string](t, d, `SELECT array_agg(name) FROM event_categories`))
}
