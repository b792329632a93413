package value_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

func TestFormulaGuardIsStripped(t *testing.T) {
	t.Parallel()
	tests := []struct{ written, want string }{
		{"'=1+1", "=1+1"},
		{"'+27 82 555", "+27 82 555"},
		{"'-", "-"},
		{"'@name", "@name"},
		{"'\tx", "\tx"},
		{"''=x", "'=x"},
		{"=x", "=x"},
		{"'quoted'", "'quoted'"},
		{"'", "'"},
		{"''", "''"},
		{"", ""},
	}
	for _, tt := range tests {
		for _, format := range []sheet.Format{sheet.CSV, sheet.XLSX, sheet.XLS} {
			got, code := value.New(&sheet.Dialect{Format: format}).Text(text(tt.written))
			require.Empty(t, code)
			require.Equal(t, tt.want, string(got), "%s in %s", tt.written, format)
		}
		got, code := value.New(&sheet.Dialect{Format: sheet.NDJSON}).Text(text(tt.written))
		require.Empty(t, code)
		require.Equal(t, tt.written, string(got), "JSON values are not guarded")
	}
}
