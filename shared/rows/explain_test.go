package rows

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// TestWhatAFieldTakesIsSaid with an example, or with the number that counts.
func TestWhatAFieldTakesIsSaid(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		field entity.Field
		code  problem.Code
		want  string
	}{
		{entity.Field{Pattern: "^[0-9]{6}$", Form: "six digits: 110001"}, problem.CellPattern, "No. It takes six digits: 110001."},
		{entity.Field{MaxLength: 50}, problem.CellTooLong, "No. It takes 50 characters."},
		{entity.Field{Kind: entity.Integer}, problem.CellPrecision, "This is not a whole number, such as 12, or it has lost digits. Long numbers keep theirs in cells that are formatted as text."},
		{entity.Field{Kind: entity.Date}, problem.CellPrecision, "The column takes days without a time: 2026-01-31."},
		{entity.Field{Kind: entity.Decimal}, problem.CellPrecision, "No."},
		{entity.Field{Kind: entity.Enum, Enum: []string{"A", "B"}}, problem.CellEnum, "No. It takes one of A, B."},
	} {
		require.Equal(t, c.want, explain(&c.field, c.code, "No."))
	}
}
