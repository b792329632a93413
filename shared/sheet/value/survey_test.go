package value_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// surveyTexts returns the locale of a column with these texts, which are separated by bars.
func surveyTexts(d sheet.Dialect, texts string) sheet.Locale {
	d.Header = []string{"x"}
	s := value.NewSurvey(&d)
	for _, t := range strings.Split(texts, "|") {
		s.Add(&sheet.Row{Cells: []sheet.Cell{text(t), text("beyond the header")}})
	}
	return s.Locale(0)
}

// TestMixedDateOrdersAreCounted: the counts stay if an order is stated.
func TestMixedDateOrdersAreCounted(t *testing.T) {
	t.Parallel()
	for texts, want := range map[string]sheet.OrderCounts{
		"25/12/2020|12/25/2020|12/26/2020|3/4/2020|90-12-25": {DayFirst: 1, MonthFirst: 2, YearFirst: 1},
		"3.4.2026|1.31.2026":     {MonthFirst: 1},
		"25/12/2020|3/4/2020":    {},
		"3/4/2020":               {},
		"2020-12-25|25 Dec 2020": {},
	} {
		found := surveyTexts(sheet.Dialect{Format: sheet.CSV}, texts).DateOrder
		require.Equal(t, want, found.ByOrder, texts)
		found.SetStated(sheet.DayFirst)
		require.Equal(t, want != sheet.OrderCounts{}, found.MixesOrders(), texts)
	}
}

func TestColumnDateOrder(t *testing.T) {
	t.Parallel()
	tests := []struct {
		texts    string
		value    string
		evidence sheet.Evidence
		by, open int64
	}{
		{"1/2/2026|31/1/2026", "dmy", sheet.Decided, 1, 0},
		{"1/2/2026|1/31/26 10:20", "mdy", sheet.Decided, 1, 0},
		{"12/25/1990|3/4/2020|12-31-2020", "mdy", sheet.Decided, 2, 0},
		{"13-01-2026|01-13-2026|1-2-2026|1-2-2026", "", sheet.Contradictory, 2, 2},
		{"25/12/2020|12/25/2020", "", sheet.Contradictory, 2, 0},
		{"1/2/2026|x|", "", sheet.Ambiguous, 0, 1},
		{"5/5/2026", "", sheet.None, 0, 0},

		// A point means that the day comes first, unless that is invalid.
		{"31.1.2026", "dmy", sheet.Decided, 1, 0},
		{"3.4.2026|5. 6. 2026", "dmy", sheet.Conventional, 0, 0},
		{"3.4.2026|1.31.2026", "", sheet.Contradictory, 1, 1},
		{"1.31.2026", "mdy", sheet.Decided, 1, 0},
		{"3.4.2026|1/31/2026", "", sheet.Contradictory, 1, 1},
		{"3.4.2026|3/4/2026", "", sheet.Ambiguous, 0, 1},
		{"3.4.2026|3/4/2026|31/1/2026", "dmy", sheet.Decided, 1, 0},

		// A two-digit year may come first.
		{"25/12/20", "", sheet.Ambiguous, 1, 1},
		{"25/12/20|25/12/90", "dmy", sheet.Decided, 2, 0},
		{"20-12-25|90-12-25", "ymd", sheet.Decided, 2, 0},
		{"25/12/20|3/4/2020", "dmy", sheet.Decided, 1, 0},
		{"03/04/05", "", sheet.Ambiguous, 0, 1},
		{"25.12.20", "dmy", sheet.Conventional, 0, 0},

		// Dates that need no order, and other texts.
		{"2026-01-31|2026/03/04|20260304|31 Jan 2026|January 3, 2026|44195|10:20", "", sheet.None, 0, 0},
		{"31/1|31/1/202|31/1/2026x|99/1/2026|40-13-2026|30/2/2026|31/1/2026 25:00", "", sheet.None, 0, 0},
		{"01a1f9e7-1bde-7bf8-ac8c-500f93581dd4|+27 82 555 0101|12 Main St.|10.0.0.1", "", sheet.None, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.texts, func(t *testing.T) {
			t.Parallel()
			want := sheet.Finding{Value: tt.value, Evidence: tt.evidence, DecidedBy: tt.by, Ambiguous: tt.open}
			found := surveyTexts(sheet.Dialect{}, tt.texts).DateOrder
			want.ByOrder = found.ByOrder // see TestMixedDateOrdersAreCounted
			require.Equal(t, want, found)
			backwards := strings.Split(tt.texts, "|")
			for i, j := 0, len(backwards)-1; i < j; i, j = i+1, j-1 {
				backwards[i], backwards[j] = backwards[j], backwards[i]
			}
			require.Equal(t, want, surveyTexts(sheet.Dialect{}, strings.Join(backwards, "|")).DateOrder, "backwards")
		})
	}
}

func TestColumnDecimalMark(t *testing.T) {
	t.Parallel()
	commas, semicolons := sheet.Dialect{Format: sheet.CSV, Delimiter: ","}, sheet.Dialect{Format: sheet.CSV, Delimiter: ";"}
	tests := []struct {
		dialect  sheet.Dialect
		texts    string
		value    string
		evidence sheet.Evidence
		by, open int64
	}{
		{semicolons, "12,5", ",", sheet.Decided, 1, 0},
		{commas, "12,5|1,234", ",", sheet.Decided, 1, 0},
		{semicolons, "12.5|1,234", ".", sheet.Decided, 1, 0},
		{semicolons, "1.234.567", ",", sheet.Decided, 1, 0},
		{commas, "1.234,56|1.234", ",", sheet.Decided, 1, 0},
		{semicolons, "1,234.56|1,234", ".", sheet.Decided, 1, 0},
		{commas, "1 234,5|0,125|-1234,567", ",", sheet.Decided, 3, 0},
		{commas, "12,5|12.5|1.234", "", sheet.Contradictory, 2, 1},
		{commas, "1,234", "", sheet.Ambiguous, 0, 1},
		{commas, "1,234|1.234", "", sheet.Ambiguous, 0, 2},
		{semicolons, "1.234", "", sheet.Ambiguous, 0, 1},
		{sheet.Dialect{Format: sheet.XLSX}, "1.234", "", sheet.Ambiguous, 0, 1},
		{commas, "1.234", ".", sheet.Conventional, 0, 1},
		{sheet.Dialect{Format: sheet.NDJSON}, "1.234", ".", sheet.Conventional, 0, 1},
		{commas, "x|1.2.2026|10.0.0.1|1,2,3|12|1 234|1e5||a.b", "", sheet.None, 0, 0},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.dialect.Format, tt.dialect.Delimiter, " ", tt.texts), func(t *testing.T) {
			t.Parallel()
			want := sheet.Finding{Value: tt.value, Evidence: tt.evidence, DecidedBy: tt.by, Ambiguous: tt.open}
			require.Equal(t, want, surveyTexts(tt.dialect, tt.texts).DecimalMark)
		})
	}
}

// TestUndecidedCellsAreRejected: the survey and the decoder agree on every text, regardless of
// the other texts in its column.
func TestUndecidedCellsAreRejected(t *testing.T) {
	t.Parallel()
	texts := []string{"3/4/2026", "31/1/2026", "1/31/2026", "3.4.2026", "1.31.2026", "03/04/05", "20-12-25", "90-12-25", "5/5/2026", "2026-03-04"}
	for mix := range 1 << len(texts) {
		var column []string
		for i, t := range texts {
			if mix>>i&1 == 1 {
				column = append(column, t)
			}
		}
		l := surveyTexts(sheet.Dialect{Format: sheet.CSV}, strings.Join(column, "|"))
		d := value.New(&sheet.Dialect{Format: sheet.CSV}).For(l)
		refused := int64(0)
		for _, s := range column {
			if _, code := d.Date(text(s)); code != "" {
				require.Equal(t, problem.CellDate, code)
				refused++
			}
		}
		require.Equal(t, l.DateOrder.Ambiguous, refused, "%q: %+v", column, l.DateOrder)
	}
}

func TestLocalePerColumn(t *testing.T) {
	t.Parallel()
	s := value.NewSurvey(&sheet.Dialect{Format: sheet.CSV, Header: []string{"a", "b"}})
	s.Add(&sheet.Row{Cells: []sheet.Cell{text("12/25/1990"), text("25.12.2020")}})
	s.Add(&sheet.Row{Cells: []sheet.Cell{text("03/04/1990")}})
	require.Equal(t, sheet.MonthFirst, s.Locale(0).DateOrder.Value)
	require.Equal(t, sheet.DayFirst, s.Locale(1).DateOrder.Value)
	require.Equal(t, sheet.None, s.Locale(2).DateOrder.Evidence)
}

func BenchmarkSurvey(b *testing.B) {
	var row sheet.Row
	size := int64(0)
	for _, t := range []string{
		"01a1f9e7-1bde-7bf8-ac8c-500f93581dd4", "user.1@example.org", "User Number 1", "true", "2026-03-04T05:06:00Z", "25/12/1990", "1234.5", "1001", "",
	} {
		c := text(t)
		if t == "" {
			c = sheet.Cell{}
		}
		row.Cells = append(row.Cells, c)
		size += int64(len(t)) + 1
	}
	s := value.NewSurvey(&sheet.Dialect{Format: sheet.CSV, Header: make([]string, len(row.Cells))})
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		s.Add(&row)
	}
}
