package value_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// Assumptions apply if and only if no cell decides.
func TestAssumptionsDecideAmbiguousCells(t *testing.T) {
	t.Parallel()
	assuming := sheet.Dialect{Format: sheet.CSV, Delimiter: ",", Assumed: sheet.Assumptions{DateOrder: "mdy", DecimalMark: ","}}
	for texts, want := range map[string]struct {
		value    string
		evidence sheet.Evidence
	}{
		"1/2/2026|5/5/2026":     {"mdy", sheet.Assumed},
		"1/2/2026|31/1/2026":    {"dmy", sheet.Decided},
		"25/12/2020|12/25/2020": {"", sheet.Contradictory},
		"5/5/2026":              {"", sheet.None},
	} {
		f := surveyTexts(assuming, texts).DateOrder
		require.Equal(t, want.value, f.Value, texts)
		require.Equal(t, want.evidence, f.Evidence, texts)
		require.False(t, want.evidence == sheet.Assumed && f.IsUndecided(), "an assumed order needs no question")
	}
	require.Equal(t, sheet.Assumed, surveyTexts(assuming, "1.234").DecimalMark.Evidence, "a convention counts as an assumption")
	require.Equal(t, ".", surveyTexts(assuming, "1.234|1.5").DecimalMark.Value)
}

func TestAssumedTimeZone(t *testing.T) {
	t.Parallel()
	d := value.New(&sheet.Dialect{Format: sheet.CSV, Assumed: sheet.Assumptions{TimeZone: "Europe/Paris"}}).For(sheet.Locale{})
	for in, want := range map[string]string{
		"2026-01-31T10:20":       "2026-01-31T09:20:00Z",
		"2026-07-31T00:30":       "2026-07-30T22:30:00Z",
		"2026-07-31":             "2026-07-30T22:00:00Z",
		"2026-07-31T10:20Z":      "2026-07-31T10:20:00Z",
		"2026-07-31T10:20+01:00": "2026-07-31T09:20:00Z",
		"2026-03-29T02:30":       "2026-03-29T01:30:00Z", // the time is skipped by daylight saving
		"1890-07-31T12:00":       "1890-07-31T11:50:39Z",
	} {
		micros, code := d.Timestamp(text(in))
		require.Empty(t, code, in)
		require.Equal(t, want, time.UnixMicro(epoch.UnixMicro()+micros).UTC().Format(time.RFC3339Nano), in)
	}
	days, code := d.Date(text("2026-07-31"))
	require.Empty(t, code)
	require.Equal(t, "2026-07-31", epoch.AddDate(0, 0, int(days)).Format(time.DateOnly), "a date without a time has no time zone")
}
