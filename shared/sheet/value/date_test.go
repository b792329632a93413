package value_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func TestDate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		order string
		cell  sheet.Cell
		want  string // empty if there is a code
		code  problem.Code
	}{
		{"", text("2026-01-31"), "2026-01-31", ""},
		{"", text("2026/1/3"), "2026-01-03", ""},
		{"", text("2026.01.31"), "2026-01-31", ""},
		{"", text("20260131"), "2026-01-31", ""},
		{"", text(" 2026-01-31 00:00:00 "), "2026-01-31", ""},
		{"", text("2026-01-31T00:00:00Z"), "2026-01-31", ""},
		{"", text("2026-01-31T10:00:00"), "", problem.CellPrecision},
		{"", text("31/01/2026"), "2026-01-31", ""},
		{"", text("01/31/2026"), "2026-01-31", ""},
		{"", text("05/05/2026"), "2026-05-05", ""},
		{"", text("03/04/2026"), "", problem.CellDate},
		{"", text("25/12/90"), "1990-12-25", ""},
		{"", text("25/12/20"), "", problem.CellDate},
		{"", text("90-12-25"), "1990-12-25", ""},
		{"", text("12.25.2020"), "2020-12-25", ""},
		{"ymd", text("25/12/2020"), "2020-12-25", ""},
		{"", text("03.04.2026"), "2026-04-03", ""},
		{"", text("3. 4. 2026"), "2026-04-03", ""},
		{"dmy", text("03/04/2026"), "2026-04-03", ""},
		{"mdy", text("03/04/2026"), "2026-03-04", ""},
		{"dmy", text("01/31/2026"), "", problem.CellDate},
		{"mdy", text("31/01/2026"), "", problem.CellDate},
		{"dmy", text("1-2-29"), "2029-02-01", ""},
		{"dmy", text("1-2-30"), "1930-02-01", ""},
		{"ymd", text("26-02-03"), "2026-02-03", ""},
		{"", text("31 Jan 2026"), "2026-01-31", ""},
		{"", text("31-Jan-26"), "2026-01-31", ""},
		{"", text("January 31, 2026"), "2026-01-31", ""},
		{"", text("1 SEPT 2026"), "2026-09-01", ""},
		{"", text("31 Foo 2026"), "", problem.CellDate},
		{"", text("2026-02-29"), "", problem.CellDate},
		{"", text("2024-02-29"), "2024-02-29", ""},
		{"", text("1900-02-29"), "", problem.CellDate},
		{"", text("2000-02-29"), "2000-02-29", ""},
		{"", text("2026-13-01"), "", problem.CellDate},
		{"", text("2026-00-10"), "", problem.CellDate},
		{"", text("0000-01-01"), "", problem.CellDate},
		{"", text("0001-01-01"), "0001-01-01", ""},
		{"", text("9999-12-31"), "9999-12-31", ""},
		{"", text("2026-01-31x"), "", problem.CellDate},
		{"", text("2026-01/31"), "", problem.CellDate},
		{"", text("2026-01"), "", problem.CellDate},
		{"", text("45000"), "", problem.CellDate},
		{"", text("10:20:30"), "", problem.CellDate},
		{"", text(""), "", problem.CellRequired},
		{"", date("2026-01-31"), "2026-01-31", ""},
		{"", date("10:20:30"), "", problem.CellDate},
		{"", date("1900-02-29"), "", problem.CellDate},
		{"", number("1"), "1900-01-01", ""},
		{"", number("59"), "1900-02-28", ""},
		{"", number("60"), "", problem.CellDate},
		{"", number("61"), "1900-03-01", ""},
		{"", number("45000"), "2023-03-15", ""},
		{"", number("45000.5"), "", problem.CellPrecision},
		{"", number("0"), "", problem.CellDate},
		{"", number("-1"), "", problem.CellDate},
		{"", number("2958465"), "9999-12-31", ""},
		{"", number("2958466"), "", problem.CellDate},
		{"", number("20260131"), "2026-01-31", ""},
		{"", number("NaN"), "", problem.CellDate},
		{"", sheet.Cell{Kind: sheet.ErrorValue, Bytes: []byte("#REF!")}, "", problem.CellError},
		{"", sheet.Cell{Kind: sheet.Formula}, "", problem.CellFormula},
	}
	for _, tt := range tests {
		t.Run(tt.order+" "+string(tt.cell.Bytes), func(t *testing.T) {
			t.Parallel()
			d := value.New(&sheet.Dialect{Format: sheet.XLSX, DateOrder: tt.order})
			days, code := d.Date(tt.cell)
			require.Equal(t, tt.code, code)
			if tt.code == "" {
				require.Equal(t, tt.want, epoch.AddDate(0, 0, int(days)).Format(time.DateOnly))
			}
		})
	}
}

func TestDate1904(t *testing.T) {
	t.Parallel()
	d := value.New(&sheet.Dialect{Format: sheet.XLSX, Date1904: true})
	days, code := d.Date(number("0"))
	require.Empty(t, code)
	require.Equal(t, "1904-01-01", epoch.AddDate(0, 0, int(days)).Format(time.DateOnly))
	days, code = d.Date(number("43538"))
	require.Empty(t, code)
	require.Equal(t, "2023-03-15", epoch.AddDate(0, 0, int(days)).Format(time.DateOnly))
}

func TestTextNumbersAreNotDates(t *testing.T) {
	t.Parallel()
	d := value.New(&sheet.Dialect{Format: sheet.NDJSON})
	_, code := d.Date(number("45000"))
	require.Equal(t, problem.CellDate, code)
}

func TestTimestamp(t *testing.T) {
	t.Parallel()
	tests := []struct{ in, want string }{
		{"2026-01-31", "2026-01-31T00:00:00Z"},
		{"2026-01-31T10:20:30Z", "2026-01-31T10:20:30Z"},
		{"2026-01-31 10:20", "2026-01-31T10:20:00Z"},
		{"2026-01-31T10:20:30.123456", "2026-01-31T10:20:30.123456Z"},
		{"2026-01-31T10:20:30.1234565", "2026-01-31T10:20:30.123457Z"},
		{"2026-01-31T10:20:30,5", "2026-01-31T10:20:30.5Z"},
		{"2026-01-31T10:20:30.999999999999", "2026-01-31T10:20:31Z"},
		{"2026-01-31T00:20:30+01:00", "2026-01-30T23:20:30Z"},
		{"2026-01-31T23:20:30-0330", "2026-02-01T02:50:30Z"},
		{"2026-01-31T10:20:30+02", "2026-01-31T08:20:30Z"},
		{"31/01/2026 3:04 PM", "2026-01-31T15:04:00Z"},
		{"31/01/2026, 12:00:00 am", "2026-01-31T00:00:00Z"},
		{"2022-05-25 10.39.15", "2022-05-25T10:39:15Z"},
		{"1999-12-31T23:59:59.999999Z", "1999-12-31T23:59:59.999999Z"},
		{"2026-01-31T24:00:00", ""},
		{"2026-01-31T10:60", ""},
		{"2026-01-31T10:20:60", ""},
		{"2026-01-31T", ""},
		{"2026-01-31T10", ""},
		{"2026-01-31T10:2", ""},
		{"2026-01-31T13:00 PM", ""},
		{"2026-01-31T10:20:30+1", ""},
		{"2026-01-31T10:20:30+16:00", ""},
		{"2026-01-31T10:20:30 CET", ""},
	}
	for _, tt := range tests {
		t.Run(tt.in, func(t *testing.T) {
			t.Parallel()
			micros, code := csv().Timestamp(text(tt.in))
			if tt.want == "" {
				require.Equal(t, problem.CellDate, code)
				return
			}
			require.Empty(t, code)
			require.Equal(t, tt.want, time.UnixMicro(epoch.UnixMicro()+micros).UTC().Format(time.RFC3339Nano))
		})
	}
	micros, code := xlsx().Timestamp(number("45000.5"))
	require.Empty(t, code)
	require.Equal(t, "2023-03-15T12:00:00Z", time.UnixMicro(epoch.UnixMicro()+micros).UTC().Format(time.RFC3339Nano))
}

func TestExplain(t *testing.T) {
	t.Parallel()
	undecided, stated := sheet.Dialect{Format: sheet.CSV}, sheet.Dialect{Format: sheet.CSV, DateOrder: sheet.MonthFirst, DecimalMark: ","}
	const readings, values = ". Write it as year, month and day, 2026-01-31, or set the date order.", ". Write it without thousands separators, or set the decimal mark."
	tests := []struct {
		dialect sheet.Dialect
		text    string
		code    problem.Code
		want    string
	}{
		{undecided, "03/04/2020", problem.CellDate, "03/04/2020 may be 3 April 2020 or 4 March 2020" + readings},
		{undecided, " 3-4-2020 10:20", problem.CellDate, "3-4-2020 may be 3 April 2020 or 4 March 2020" + readings},
		{undecided, "03/04/05", problem.CellDate, "03/04/05 may be 3 April 2005, 4 March 2005 or 5 April 2003" + readings},
		{undecided, "30/30/2026", problem.CellDate, "This is not a date. Write it as year, month and day: 2026-01-31."},
		{undecided, "44195", problem.CellDate, "This is a number, not a date. Only as a number in a workbook, it would be 2020-12-30. Write it as year, month and day: 2026-01-31."},
		{undecided, "1,234", problem.CellNumber, "1,234 may be 1234 or 1.234" + values},
		{undecided, "1.234", problem.CellNumber, "1.234 may be 1.234 or 1234" + values},
		{undecided, "abc", problem.CellNumber, "This is not a number. Use digits and a decimal point only: 1234.5."},
		{stated, "13/01/2011", problem.CellDate, "This is not a date. Dates in this column are read month first: 01/31/2026. Year, month and day, 2026-01-31, is always accepted."},
		{stated, "1.5", problem.CellNumber, "This is not a number. The decimal mark of this column is a comma."},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, value.New(&tt.dialect).Explain(text(tt.text), tt.code), tt.text)
	}
}

// TestWholeNumbersWithoutDecimalMark: a number that is an integer with only one of the decimal marks
// is read as that integer, unless programs would write it for the other number.
func TestWholeNumbersWithoutDecimalMark(t *testing.T) {
	t.Parallel()
	undecided := value.New(&sheet.Dialect{Format: sheet.CSV})
	assumed := undecided.For(sheet.Locale{DecimalMark: sheet.Finding{Value: ".", Evidence: sheet.Conventional}})
	tests := []struct {
		decoder *value.Decoder
		text    string
		want    int64
		code    problem.Code
	}{
		{undecided, "1,234", 1234, ""},
		{undecided, "1.234", 1234, ""},
		{undecided, "1,000", 0, problem.CellNumber},
		{undecided, "1.000", 0, problem.CellNumber},
		{undecided, "1.0", 1, ""},
		{undecided, "1,5", 0, problem.CellPrecision},
		{undecided, "12", 12, ""},
		{undecided, "1 234", 1234, ""},
		{undecided, "-0", 0, ""},
		{undecided, "x", 0, problem.CellNumber},
		{undecided, "inf", 0, problem.CellRange},
		{assumed, "1.234", 0, problem.CellPrecision},
		{assumed, "1.000", 0, problem.CellNumber},
		{assumed, "2.0", 2, ""},
	}
	for _, tt := range tests {
		got, code := tt.decoder.Int64(text(tt.text))
		require.Equal(t, tt.code, code, tt.text)
		require.Equal(t, tt.want, got, tt.text)
	}
}
