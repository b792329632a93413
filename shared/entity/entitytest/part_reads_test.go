package entitytest_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// 67,000 lines of results took minutes because each part of the file read the whole event. The
// test counts the rows read for each row.
func TestPartReadsIndependentOfFileSize(t *testing.T) {
	t.Parallel()
	of, _ := catalog.New().ByName("RESULT")
	short, long := writeInParts(t, of, 400), writeInParts(t, of, 3_200)
	t.Logf("%.1f rows read for each row of a short file, %.1f for a long one", short, long)
	require.Less(t, long, 1.25*short)
}

// writeInParts writes a file of new rows in parts, and returns how many rows of events are read
// for each row.
func writeInParts(t *testing.T, of entity.Type, count int) float64 {
	t.Helper()
	const partRows = 100
	y := newFreshDatabase(t)
	for _, r := range y.references(of) {
		y.writeGrowing(r.parent, count)
	}
	y.Exec(t, `UPDATE event_participants SET race_number = 'of ' || id`) // so that the file changes every number
	b := y.newBatch(of, nil, count)
	settings, err := of.Declaration().ParseSettings(json.RawMessage(`{"participantIdMode": "regid", "applyNumberChanges": true}`))
	require.NoError(t, err)
	pass, err := of.(entity.FileWriter).PrepareFile(&entity.File{Batch: b, Settings: settings})
	require.NoError(t, err)
	var read int64
	var left json.RawMessage
	require.NoError(t, y.session.inOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		before := eventRowsRead(t, tx)
		first := 0
		for _, end := range pass.(entity.PartDivider).PartEnds(partRows) {
			part := b.Pick(pass.Order()[first:end])
			first = end
			err := entity.Bisect(t.Context(), tx, part, func(ctx context.Context, tx pgx.Tx, part *entity.Batch) (err error) {
				left, err = pass.WritePart(ctx, tx, part, left)
				return err
			}, func(part *entity.Batch) error {
				for i := range part.Results {
					require.Equal(t, rowwrite.Created, part.Results[i].Outcome, "%v", part.Results[i])
				}
				return nil
			}, func(row int64, sqlState string) { t.Errorf("row %d was refused: %s", row, sqlState) })
			if err != nil {
				return err
			}
		}
		read = eventRowsRead(t, tx) - before
		return nil
	}))
	var report struct{ NumberChanges struct{ Applied int } }
	require.NoError(t, json.Unmarshal(left, &report))
	require.Equal(t, count, report.NumberChanges.Applied)
	return float64(read) / float64(count)
}

// eventRowsRead returns how many rows of the type's tables the transaction has read.
func eventRowsRead(t *testing.T, tx pgx.Tx) (n int64) {
	t.Helper()
	require.NoError(t, tx.QueryRow(t.Context(), `
		SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int8 FROM pg_stat_xact_user_tables WHERE relname IN ('results', 'event_participants')`).Scan(&n))
	return n
}
