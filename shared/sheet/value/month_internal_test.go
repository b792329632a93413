package value

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
)

func TestMonthNamesAreUnique(t *testing.T) {
	t.Parallel()
	all := 0
	for _, names := range monthNames {
		for _, name := range strings.Fields(names) {
			require.LessOrEqual(t, len(name), longestMonth, name)
			all++
		}
	}
	require.Len(t, months, all, "month names are unique")
}

func TestMonthNamesInEightLanguages(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"4 March 2020":            "2020-03-04",
		"4. März 2020":            "2020-03-04",
		"4. MÄRZ 2020":            "2020-03-04",
		"4. Maerz 2020":           "2020-03-04",
		"1 août 2020":             "2020-08-01",
		"31 Dec. 2020":            "2020-12-31",
		"Dec. 31, 2020":           "2020-12-31",
		"31 DÉC. 2020":            "2020-12-31",
		"15-févr-21":              "2021-02-15",
		"4 de marzo de 2020":      "2020-03-04",
		"4 de março de 2020":      "2020-03-04",
		"30 ene 2021":             "2021-01-30",
		"4 maart 2020":            "2020-03-04",
		"4 mei 2020":              "2020-05-04",
		"4 maggio 2020":           "2020-05-04",
		"4 października 2020":     "2020-10-04",
		"4 PAŹDZIERNIKA 2020":     "2020-10-04",
		"4 wrz 2020":              "2020-09-04",
		"4 mai 2020":              "2020-05-04",
		"1 outubro 2020 10:20":    "2020-10-01",
		"4 martes 2020":           "",
		"4 Marzipan 2020":         "",
		"4 de 2020":               "",
		"4 październikaa 2020":    "",
		"4 " + "é\xff" + " 2020":  "",
		"31 février 2020":         "",
		"4 octubre":               "",
		"de enero de 2026":        "",
		"4 de enero de las 2026":  "",
		strings.Repeat("m", 1000): "",
	} {
		micros, code := New(&sheet.Dialect{Format: sheet.CSV}).Timestamp(sheet.Cell{Kind: sheet.Text, Bytes: []byte(text)})
		if want == "" {
			require.NotEmpty(t, code, text)
			continue
		}
		require.Empty(t, code, text)
		day := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(micros) * time.Microsecond)
		require.Equal(t, want, day.Format(time.DateOnly), text)
	}
}
