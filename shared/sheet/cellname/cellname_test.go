package cellname_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/sheet/cellname"
)

func TestColumnAgreesWithExcelize(t *testing.T) {
	t.Parallel()
	for column := range 16_384 {
		want, err := excelize.ColumnNumberToName(column + 1)
		require.NoError(t, err)
		require.Equal(t, want, cellname.Column(column))
	}
}
