package entity_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

func TestRowWithoutOutcomeFailsBatch(t *testing.T) {
	t.Parallel()
	d := postgrestest.Setup(t)
	b := entity.NewBatch(&itemDeclaration, []bool{true, true, true}, 2)
	for row := range int64(2) {
		for c := range b.Columns {
			b.Columns[c].AppendInt64(row)
		}
		b.Commit(row + 2)
	}
	err := d.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		return entity.Bisect(t.Context(), tx, b, func(_ context.Context, _ pgx.Tx, part *entity.Batch) error {
			part.Results = make([]entity.Result, part.Len())
			part.Results[0].Outcome = rowwrite.Created
			return nil
		}, func(*entity.Batch) error { return nil }, func(int64, string) {})
	})
	require.ErrorContains(t, err, "the type left row 3 without an outcome")
}
