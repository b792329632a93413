package value_test

import (
	"bytes"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/value"
)

// FuzzNumber compares with math/big wherever both accept the same notation.
func FuzzNumber(f *testing.F) {
	for _, in := range []string{"0", "-1.50", "1e-7", "1,234.5", "1 234", "12345678901234567890.5", "−3", ".5", "5.", "NaN", "1e999999999", "+0e9", "1.234.567,8"} {
		f.Add([]byte(in), byte(sheet.Text), byte('.'), false)
		f.Add([]byte(in), byte(sheet.Number), byte(0), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, kind, mark byte, workbook bool) {
		dialect := &sheet.Dialect{Format: sheet.CSV}
		if workbook {
			dialect.Format = sheet.XLSX
		}
		if mark == '.' || mark == ',' {
			dialect.DecimalMark = string(rune(mark))
		}
		d, cell := value.New(dialect), sheet.Cell{Kind: sheet.Kind(kind), Bytes: bytes.Clone(in)}
		b, code := d.Decimal(cell)
		require.Equal(t, in, cell.Bytes, "the cell is unchanged")
		decimal := string(b)
		whole, wholeCode := d.Int64(cell)
		if code != "" {
			require.NotEmpty(t, d.Explain(cell, code))
			if dialect.DecimalMark != "" {
				require.NotEmpty(t, wholeCode)
			}
			return
		}
		if wholeCode == "" {
			require.Equal(t, strconv.FormatInt(whole, 10), decimal)
		}
		again, code := value.New(&sheet.Dialect{DecimalMark: "."}).Decimal(text(decimal))
		require.Empty(t, code)
		require.Equal(t, decimal, string(again), "a normalised decimal is stable")
		if want, ok := printableASCII(in); ok && !workbook && dialect.DecimalMark != "," {
			got, ok := new(big.Rat).SetString(decimal)
			require.True(t, ok)
			require.Zero(t, want.Cmp(got), "%s is not %s", decimal, want)
		}
	})
}

// printableASCII parses numbers in Go's notation that are unambiguous.
func printableASCII(in []byte) (*big.Rat, bool) {
	s := strings.TrimSpace(string(in))
	if strings.Trim(s, "0123456789.eE+-") != "" || len(s) > 30 {
		return nil, false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(s), "e"); ok && len(exponent) > 4 {
		return nil, false
	}
	return new(big.Rat).SetString(s)
}

// FuzzDate compares with package time on RFC 3339.
func FuzzDate(f *testing.F) {
	for _, in := range []string{
		"2026-01-31", "2026-01-31T10:20:30.5+01:00", "31/1/2026 3:04 PM", "1-Feb-26", "February 1, 2026", "20260131", "45000.5", "60", "1.2.2026 10.20.30", "9999-12-31T23:59:59.9999999-15:59",
	} {
		f.Add([]byte(in), byte(sheet.Text), "dmy", false)
		f.Add([]byte(in), byte(sheet.Number), "", true)
	}
	f.Fuzz(func(t *testing.T, in []byte, kind byte, order string, date1904 bool) {
		d := value.New(&sheet.Dialect{Format: sheet.XLSX, DateOrder: order, Date1904: date1904})
		cell := sheet.Cell{Kind: sheet.Kind(kind), Bytes: bytes.Clone(in)}
		micros, code := d.Timestamp(cell)
		require.Equal(t, in, cell.Bytes, "the cell is unchanged")
		days, dayCode := d.Date(cell)
		if code != "" {
			require.Equal(t, code, dayCode)
			require.NotEmpty(t, d.Explain(cell, code))
			return
		}
		got := time.UnixMicro(epoch.UnixMicro() + micros).UTC()
		require.True(t, got.Year() >= 0 && got.Year() <= 10_000, "%s", got)
		if dayCode == "" {
			require.Equal(t, epoch.AddDate(0, 0, int(days)), got)
		} else {
			require.Equal(t, problem.CellPrecision, dayCode)
		}
		if want, err := time.Parse(time.RFC3339Nano, string(in)); err == nil && sheet.Kind(kind) == sheet.Text {
			require.WithinDuration(t, want, got, time.Microsecond)
		}
	})
}

// FuzzWords passes any text to the decoders of words, which must not fail except with their codes.
func FuzzWords(f *testing.F) {
	enum, err := value.NewEnum("active", "gone", "Ö")
	require.NoError(f, err)
	for _, in := range []string{"yes", "ö", "a@b.co", "{123e4567-e89b-12d3-a456-426614174000}", "urn:uuid:123e4567e89b12d3a456426614174000", "a\x00", "\u00A0\uFEFF", "é@é.é"} {
		f.Add([]byte(in), byte(sheet.Text))
	}
	f.Fuzz(func(t *testing.T, in []byte, kind byte) {
		d, cell := value.New(&sheet.Dialect{Format: sheet.NDJSON}), sheet.Cell{Kind: sheet.Kind(kind), Bytes: bytes.Clone(in)}
		if b, code := d.Text(cell); code == "" {
			require.NotContains(t, string(b), "\x00")
		}
		d.Bool(cell)
		if i, code := d.Enum(cell, enum); code == "" {
			require.Contains(t, []int{0, 1, 2}, i)
		}
		if b, code := d.Email(cell); code == "" {
			require.Equal(t, 1, bytes.Count(b, []byte("@")))
		}
		d.UUID(cell)
		require.Equal(t, in, cell.Bytes, "the cell is unchanged")
	})
}
