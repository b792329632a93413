package value_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

func text(s string) sheet.Cell   { return sheet.Cell{Kind: sheet.Text, Bytes: []byte(s)} }
func number(s string) sheet.Cell { return sheet.Cell{Kind: sheet.Number, Bytes: []byte(s)} }
func formatted(number, shown string) sheet.Cell {
	return sheet.Cell{Kind: sheet.Formatted, Bytes: sheet.AppendDisplayText([]byte(number), []byte(shown))}
}
func date(s string) sheet.Cell { return sheet.Cell{Kind: sheet.Date, Bytes: []byte(s)} }

func csv() *value.Decoder { return value.New(&sheet.Dialect{Format: sheet.CSV, DecimalMark: "."}) }
func xlsx() *value.Decoder {
	return value.New(&sheet.Dialect{Format: sheet.XLSX, DecimalMark: "."})
}

func TestText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		cell sheet.Cell
		want string
		code problem.Code
	}{
		{"as written", text("  a b "), "  a b ", ""},
		{"leading zeros", text("00123"), "00123", ""},
		{"long digits", text("123456789012345678901234567890"), "123456789012345678901234567890", ""},
		{"empty", sheet.Cell{}, "", ""},
		{"number", number("1234.5"), "1234.5", ""},
		{"a fraction of zeros", number("1001.0"), "1001", ""},
		{"zeros behind a fraction", number("1234.50"), "1234.5", ""},
		{"no digit before the mark", number(".5"), "0.5", ""},
		{"nothing, less than", number("-0.0"), "0", ""},
		{"zeros that the cell shows", number("00412"), "00412", ""},
		{"all digits of a fraction", number("1234567890123456.12345678901234567890"), "1234567890123456.1234567890123456789", ""},
		{"all digits of a whole number", number("98765432109876543210987654321.0"), "98765432109876543210987654321", ""},
		{"text that looks like a number", text("1001.0"), "1001.0", ""},
		{"exponent", number("1E+20"), "100000000000000000000", ""},
		{"small exponent", number("1.5e-7"), "0.00000015", ""},
		{"digits lost by the workbook", number("1.23456789012346E+17"), "", problem.CellPrecision},
		{"the same number, written in full", number("123456789012346000"), "", problem.CellPrecision},
		{"the same number, less than nothing", number("-123456789012346000.0"), "", problem.CellPrecision},
		{"all digits, from a binary number", number("1.2345678901234568E16"), "", problem.CellPrecision},
		{"long digits of a workbook", number("1234567890123456"), "1234567890123456", ""},
		{"digits that a binary number holds", number("1.23456789012346E+15"), "1234567890123460", ""},
		{"the same number in full", number("1234567890123460"), "1234567890123460", ""},
		{"longer digits, all of them", number("12345678901234567"), "12345678901234567", ""},
		{"noise of binary numbers", number("0.30000000000000004"), "0.3", ""},
		{"noise behind a whole number", number("1001.0000000000001"), "1001", ""},
		{"as its format shows it", formatted("123456789", "123-45-6789"), "123-45-6789", ""},
		{"a fraction that it hides", formatted("412.5", "00413"), "00413", ""},
		{"a format with NUL", formatted("1", "0\x001"), "", problem.CellNUL},
		{"as shown, with lost digits", formatted("1.23456789012346E+17", "1234-5678-9012-3460-00"), "", problem.CellPrecision},
		{"boolean", sheet.Cell{Kind: sheet.Bool, Bytes: []byte("true")}, "true", ""},
		{"date", date("2026-01-31"), "2026-01-31", ""},
		{"an object", sheet.Cell{Kind: sheet.JSON, Bytes: []byte(`{"a":1}`)}, "", problem.CellNested},
		{"NUL", text("a\x00b"), "", problem.CellNUL},
		{"error", sheet.Cell{Kind: sheet.ErrorValue, Bytes: []byte("#REF!")}, "", problem.CellError},
		{"formula", sheet.Cell{Kind: sheet.Formula}, "", problem.CellFormula},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, code := xlsx().Text(tt.cell)
			require.Equal(t, tt.code, code)
			require.Equal(t, tt.want, string(got))
		})
	}
}

func TestIsBlank(t *testing.T) {
	t.Parallel()
	require.True(t, value.IsBlank(sheet.Cell{}))
	require.True(t, value.IsBlank(text(" \t\u00A0\u200B")))
	require.False(t, value.IsBlank(text("0")))
	require.False(t, value.IsBlank(sheet.Cell{Kind: sheet.Formula}), "a formula without a value is not blank")
}

func TestInt64(t *testing.T) {
	t.Parallel()
	tests := []struct {
		cell sheet.Cell
		want int64
		code problem.Code
	}{
		{text("0"), 0, ""},
		{text("-0"), 0, ""},
		{text(" 0042 "), 42, ""},
		{text("+7"), 7, ""},
		{text("−7"), -7, ""},
		{text("1,234,567"), 1234567, ""},
		{text("1 234 567"), 1234567, ""},
		{text("1\u202F234"), 1234, ""},
		{text("1'234"), 1234, ""},
		{text("12,34"), 0, problem.CellNumber},
		{text("1,234 567"), 0, problem.CellNumber},
		{text("0,123"), 0, problem.CellNumber},
		{text("1234,567"), 0, problem.CellNumber},
		{text("9223372036854775807"), 9223372036854775807, ""},
		{text("-9223372036854775808"), -9223372036854775808, ""},
		{text("9223372036854775808"), 0, problem.CellRange},
		{text("-9223372036854775809"), 0, problem.CellRange},
		{text("99999999999999999999"), 0, problem.CellRange},
		{text("1e999999999999999999999"), 0, problem.CellRange},
		{text("0e999999999999"), 0, ""},
		{text("NaN"), 0, problem.CellRange},
		{text("-Infinity"), 0, problem.CellRange},
		{text("1.0"), 1, ""},
		{text("1.5"), 0, problem.CellPrecision},
		{text("1e3"), 1000, ""},
		{text("12abc"), 0, problem.CellNumber},
		{text("0x10"), 0, problem.CellNumber},
		{text("$4"), 0, problem.CellNumber},
		{text("95%"), 0, problem.CellNumber},
		{text("."), 0, problem.CellNumber},
		{text("-"), 0, problem.CellNumber},
		{text("1e"), 0, problem.CellNumber},
		{text("1-"), 0, problem.CellNumber},
		{text(" "), 0, problem.CellRequired},
		{sheet.Cell{}, 0, problem.CellRequired},
		{number("2.9999999999999996"), 3, ""},
		{number("1E+3"), 1000, ""},
		{number("1,000"), 0, problem.CellNumber},
		{number("1.23456789012346E+17"), 0, problem.CellPrecision},
		{number("123456789012346000"), 0, problem.CellPrecision},
		{number("12345678901234567"), 12345678901234567, ""},
		{number("1.23456789012346E+15"), 1234567890123460, ""},
		{formatted("123456789", "123-45-6789"), 123456789, ""},
		{formatted("412.5", "00413"), 0, problem.CellPrecision},
		{date("2026-01-31"), 0, problem.CellNumber},
		{sheet.Cell{Kind: sheet.Bool, Bytes: []byte("true")}, 0, problem.CellNumber},
		{sheet.Cell{Kind: sheet.ErrorValue, Bytes: []byte("#N/A")}, 0, problem.CellError},
		{sheet.Cell{Kind: sheet.Formula}, 0, problem.CellFormula},
	}
	for _, tt := range tests {
		t.Run(string(tt.cell.Bytes), func(t *testing.T) {
			t.Parallel()
			got, code := xlsx().Int64(tt.cell)
			require.Equal(t, tt.code, code)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestDecimal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mark string
		cell sheet.Cell
		want string
		code problem.Code
	}{
		{".", text("0.1"), "0.1", ""},
		{".", text(".5"), "0.5", ""},
		{".", text("5."), "5", ""},
		{".", text("-0.0"), "0", ""},
		{".", text("0.00050"), "0.0005", ""},
		{".", text("1,234.50"), "1234.5", ""},
		{".", text("12,5"), "", problem.CellNumber},
		{".", text("1.234.567"), "", problem.CellNumber},
		{".", text("123456789012345678901234567890.123456789"), "123456789012345678901234567890.123456789", ""},
		{".", text("-2.00E-02"), "-0.02", ""},
		{".", text("1e-1001"), "", problem.CellRange},
		{".", number("1e38"), "", problem.CellRange},
		{".", number("1e-39"), "", problem.CellRange},
		{".", text("12345678901234567890123456789012345678"), "12345678901234567890123456789012345678", ""},
		{",", text("12,5"), "12.5", ""},
		{",", text("1.234,5"), "1234.5", ""},
		{",", text("1.234"), "1234", ""},
		{",", text("1,234"), "1.234", ""},
		{",", text("1.5"), "", problem.CellNumber},
		{"", text("12,5"), "12.5", ""},
		{"", text("12.5"), "12.5", ""},
		{"", text("1.234"), "", problem.CellNumber},
		{"", text("1,234"), "", problem.CellNumber},
		{"", text("0,123"), "0.123", ""},
		{"", text("1234,567"), "1234.567", ""},
		{"", text("1.234,5"), "1234.5", ""},
		{"", text("1,234.5"), "1234.5", ""},
		{"", text("1.234.567"), "1234567", ""},
		{"", text("17"), "17", ""},
		{",", number("0.5"), "0.5", ""},
		{",", number("0.30000000000000004"), "0.3", ""},
		{",", number("16.100000000000001"), "16.1", ""},
		{",", number("0.99999999999999989"), "1", ""},
		{",", number("12345678901234567.5"), "", problem.CellPrecision},
		{",", number("1E+20"), "100000000000000000000", ""},
		{",", number("1E+400"), "", problem.CellRange},
		{",", number("1E+1001"), "", problem.CellRange},
	}
	for _, tt := range tests {
		t.Run(tt.mark+" "+string(tt.cell.Bytes), func(t *testing.T) {
			t.Parallel()
			d := value.New(&sheet.Dialect{Format: sheet.XLSX, DecimalMark: tt.mark})
			got, code := d.Decimal(tt.cell)
			require.Equal(t, tt.code, code)
			require.Equal(t, tt.want, string(got))
		})
	}
}

func zeros(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = '0'
	}
	return string(b)
}

func TestDecimalOfJSONKeepsAllDigits(t *testing.T) {
	t.Parallel()
	got, code := value.New(&sheet.Dialect{Format: sheet.NDJSON}).Decimal(number("0.12345678901234567890123"))
	require.Empty(t, code)
	require.Equal(t, "0.12345678901234567890123", string(got))
}

func TestBool(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]bool{
		"true": true, "TRUE": true, " Yes ": true, "y": true, "1": true, "on": true, "Ja": true, "WAHR": true, "oui": true, "Sí": true, "SÍ": true, "vrai": true,
		"false": false, "No": false, "n": false, "0": false, "off": false, "Nein": false, "non": false, "FALSCH": false, "faux": false, "Não": false,
	} {
		got, code := csv().Bool(text(word))
		require.Empty(t, code, word)
		require.Equal(t, want, got, word)
	}
	for _, word := range []string{"2", "maybe", "yess", "a very long word indeed", "-"} {
		_, code := csv().Bool(text(word))
		require.Equal(t, problem.CellBoolean, code, word)
	}
	got, code := xlsx().Bool(sheet.Cell{Kind: sheet.Bool, Bytes: []byte("true")})
	require.Empty(t, code)
	require.True(t, got)
	got, code = xlsx().Bool(number("0"))
	require.Empty(t, code)
	require.False(t, got)
	_, code = csv().Bool(text(" "))
	require.Equal(t, problem.CellRequired, code)
}

func TestEnum(t *testing.T) {
	t.Parallel()
	e, err := value.NewEnum("Active", "Ausgeschieden", "Café")
	require.NoError(t, err)
	for word, want := range map[string]int{"active": 0, " ACTIVE ": 0, "ausgeschieden": 1, "CAFÉ": 2} {
		got, code := csv().Enum(text(word), e)
		require.Empty(t, code, word)
		require.Equal(t, want, got, word)
	}
	_, code := csv().Enum(text("gone"), e)
	require.Equal(t, problem.CellEnum, code)
	_, err = value.NewEnum("a", "A ")
	require.Error(t, err)
}

func TestEmail(t *testing.T) {
	t.Parallel()
	for _, good := range []string{"a@b.co", "first.last+tag@sub.example.org", "ümlaut@bücher.example", "o'neil@example.ie"} {
		got, code := csv().Email(text(" " + good + " "))
		require.Empty(t, code, good)
		require.Equal(t, good, string(got))
	}
	for _, bad := range []string{
		"a", "@b.co", "a@", "a@b", "a@@b.co", "a b@c.co", ".a@b.co", "a.@b.co", "a..b@c.co", "a@-b.co", "a@b-.co", "a@b..co", "a@b.co.",
		"a@b.c", "Ann <a@b.co>", "a@b.co;c@d.co", "a@[1.2.3.4]", "a\u200B@b.co", "mailto:a@b,co", zeros(65) + "@b.co", "a@" + zeros(64) + ".co",
	} {
		_, code := csv().Email(text(bad))
		require.Equal(t, problem.CellEmail, code, bad)
	}
}

func TestUUID(t *testing.T) {
	t.Parallel()
	want := [16]byte{0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0x00}
	for _, good := range []string{
		"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000", "123e4567e89b12d3a456426614174000",
		"{123e4567-e89b-12d3-a456-426614174000}", "urn:uuid:123e4567-e89b-12d3-a456-426614174000",
	} {
		got, code := csv().UUID(text(good))
		require.Empty(t, code, good)
		require.Equal(t, want, got, good)
	}
	for _, bad := range []string{"x", "123e4567-e89b-12d3-a456-42661417400", "123e4567-e89b-12d3-a456-42661417400g", "123e4567e-89b-12d3-a456-426614174000", "123e4567-e89b-12d3-a456-4266141740000"} {
		_, code := csv().UUID(text(bad))
		require.Equal(t, problem.CellUUID, code, bad)
	}
}

func TestDecodersDoNotAllocate(t *testing.T) {
	d := csv()
	e, err := value.NewEnum("active", "gone")
	require.NoError(t, err)
	cells := []sheet.Cell{
		text("1,234.5"), text("42"), text("2026-01-31T10:20:30.5+01:00"), text("31/12/2026"), text("yes"), text("Active"),
		text("a@b.co"), text("123e4567-e89b-12d3-a456-426614174000"), text("nothing of all this"),
	}
	allocs := testing.AllocsPerRun(100, func() {
		for _, c := range cells {
			d.Text(c)
			d.Int64(c)
			d.Decimal(c)
			d.Date(c)
			d.Timestamp(c)
			d.Bool(c)
			d.Enum(c, e)
			d.Email(c)
			d.UUID(c)
		}
	})
	require.Zero(t, allocs)
}
