package postgres_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// manyCells is the number of distinct values of a large file.
const manyCells = 20_000

// withManyCells runs a test on such a file, once before and once after the planner has
// statistics of its values.
func withManyCells(t *testing.T, status string, change func(i int, c *job.MappedCell), test func(*testing.T, *postgrestest.Database, *job.Job)) {
	t.Helper()
	for name, statistics := range map[string]string{"never analysed": `SELECT`, "analysed": `ANALYZE import_cell_mappings`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := postgrestest.Setup(t)
			j := d.AddJob(t, fmt.Sprintf("status = '%s'", status))
			cells := make([]job.MappedCell, manyCells)
			for i := range cells {
				cells[i] = job.MappedCell{TargetField: "TYPE", Value: fmt.Sprintf("Kind %d", i), Status: job.Unresolved, FirstRow: int64(i + 2), Rows: 1}
				change(i, &cells[i])
			}
			require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error { return d.DB.AddCellMappings(t.Context(), tx, j, cells) }))
			d.Exec(t, statistics)
			test(t, d, j)
		})
	}
}

// TestChunkLoadsOnlyItsOwnCellMappings: all chunks of a file with 100,000 distinct values load
// the mappings of their own values. The test counts the rows read, with or without planner
// statistics.
func TestChunkLoadsOnlyItsOwnCellMappings(t *testing.T) {
	t.Parallel()
	const ofChunk = 100
	withManyCells(t, "PROCESSING", func(_ int, c *job.MappedCell) { c.Status, c.Create = job.ManualMatched, true }, func(t *testing.T, d *postgrestest.Database, j *job.Job) {
		fields, values, ids := make([]string, ofChunk), make([]string, ofChunk), make([]int64, ofChunk)
		for i := range values {
			fields[i], values[i], ids[i] = "TYPE", fmt.Sprintf("Kind %d", i*7), int64(i+1)
		}
		require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			before := cellsRead(t, tx)
			found, err := d.DB.SimilarCellMappings(t.Context(), tx, j.Key, append(fields, "TYPE", "OTHER"), append(slices.Clone(values), "kIND 1", "Kind 2"))
			require.NoError(t, err)
			require.Len(t, found, ofChunk+1, "values match in any case, other fields' values do not")
			require.Less(t, cellsRead(t, tx)-before, int64(5*ofChunk))
			return d.DB.SaveCreatedEntities(t.Context(), tx, j, "TYPE", values, ids)
		}))
		require.Equal(t, ofChunk, postgrestest.Query[int](t, d, `SELECT count(*) FROM import_cell_mappings WHERE NOT create_new AND target_entity_id IS NOT NULL`))
	})
}

// TestDecisionLoadsOnlyItsCells: people decide the values of such a file one by one.
func TestDecisionLoadsOnlyItsCells(t *testing.T) {
	t.Parallel()
	three := func(i int, c *job.MappedCell) {
		if i < 3 {
			c.TargetField = "COLOUR"
		}
		if i == 1 {
			c.Status = job.Ignored
		}
	}
	withManyCells(t, "CELL_MAPPING", three, func(t *testing.T, d *postgrestest.Database, j *job.Job) {
		ids := postgrestest.Query[[]int64](t, d, `SELECT array_agg(id ORDER BY id) FROM import_cell_mappings`)
		require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			before := cellsRead(t, tx)
			found, err := d.DB.CellsForDecision(t.Context(), tx, j.Key, []int64{ids[777], ids[5], 0}, nil)
			require.NoError(t, err)
			require.Equal(t, []int64{ids[5], ids[777]}, []int64{found[0].ID, found[1].ID})
			require.Less(t, cellsRead(t, tx)-before, int64(20))

			found, err = d.DB.CellsForDecision(t.Context(), tx, j.Key, []int64{ids[0], ids[5]}, []string{"COLOUR", "SIZE"})
			require.NoError(t, err)
			require.Len(t, found, 3, "requested values are loaded once, resolved ones are not")
			fields, err := d.DB.FieldsWithMappedCells(t.Context(), tx, j.Key, []string{"COLOUR", "SIZE"})
			require.NoError(t, err)
			require.Equal(t, []string{"COLOUR"}, fields)
			open, err := d.DB.UnresolvedCells(t.Context(), tx, j.Key)
			require.Equal(t, []job.UnresolvedCells{{Field: "COLOUR", Count: 2}, {Field: "TYPE", Count: manyCells - 3}}, open)
			return err
		}))
	})
}

func cellsRead(t *testing.T, tx pgx.Tx) (n int64) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(), `
		SELECT seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables WHERE relname = 'import_cell_mappings'`).Scan(&n))
	return n
}

// TestCellPageOrdersDecisionsFirst: the pages start with the values that need a decision,
// those in most rows first, and a decision moves none of them.
func TestCellPageOrdersDecisionsFirst(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	j := d.AddJob(t, "status = 'CELL_MAPPING'")
	value := func(field, text string, status job.MappingStatus, rows int64) job.MappedCell {
		return job.MappedCell{TargetField: field, Value: text, Status: status, FirstRow: 2, Rows: rows}
	}
	require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return d.DB.AddCellMappings(t.Context(), tx, j, []job.MappedCell{
			value("COUNTRY", "Deutschland", job.AutoMatched, 100), value("GENDER", "Firma", job.Unresolved, 12), value("GENDER", "Frau", job.Unresolved, 115),
			value("TYPE", "Ehrenmitglied", job.Unresolved, 85), value("COUNTRY", "Schweiz", job.AutoMatched, 167),
		})
	}))
	first := func() (texts []string) {
		require.NoError(t, d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
			for offset := range int64(5) {
				page, total, err := d.DB.CellMappingsPage(t.Context(), tx, j.Key, job.CellPage{Page: job.Page{Offset: offset, Limit: 1}})
				require.NoError(t, err)
				require.Equal(t, int64(5), total)
				texts = append(texts, page[0].Value)
			}
			return nil
		}))
		return texts
	}
	ordered := []string{"Frau", "Ehrenmitglied", "Firma", "Schweiz", "Deutschland"}
	require.Equal(t, ordered, first())
	d.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', decided = true WHERE source_value = 'Frau'`)
	require.Equal(t, ordered, first())
}
