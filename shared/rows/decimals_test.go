package rows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// A number with more decimals than its column is an error: Postgres would round it.
func TestNumberIsNotRounded(t *testing.T) {
	t.Parallel()
	d := &entity.Declaration{Fields: []entity.Field{{Name: "PRICE", Title: "Price", Kind: entity.Decimal, Decimals: new(2)}}}
	plan, err := rows.NewPlan(d, []job.MappedColumn{{ColumnIndex: 0, TargetField: "PRICE"}})
	require.NoError(t, err)
	decoder := rows.NewDecoder(plan, &job.Job{}, &sheet.Dialect{DecimalMark: "."}, 10)
	for _, text := range []string{"3.99", "3", "3.9900", "-0.10", "12000000000"} {
		require.Empty(t, decoder.Add(&sheet.Row{Number: 2, Cells: []sheet.Cell{{Kind: sheet.Text, Bytes: []byte(text)}}}), text)
	}
	for _, text := range []string{"3.999", "0.001", "-1.0050"} {
		require.Equal(t, []rowwrite.Error{{
			Code: "CELL_PRECISION", Field: "PRICE", Value: text, Message: "Price: The number has more than 2 decimals, or it has lost digits. Round it in the file.",
		}}, decoder.Add(&sheet.Row{Number: 2, Cells: []sheet.Cell{{Kind: sheet.Text, Bytes: []byte(text)}}}), text)
	}
}
