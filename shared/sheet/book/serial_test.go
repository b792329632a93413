package book_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/book"
)

func TestAppendDate(t *testing.T) {
	t.Parallel()
	tests := []struct {
		serial float64
		format book.Format
		y1904  bool
		want   string // empty: not a date
	}{
		{1, book.DateOnly, false, "1900-01-01"},
		{59, book.DateOnly, false, "1900-02-28"},
		{60, book.DateOnly, false, "1900-02-29"}, // a date that never existed
		{61, book.DateOnly, false, "1900-03-01"},
		{25569, book.DateOnly, false, "1970-01-01"},
		{36585, book.DateOnly, false, "2000-02-29"},
		{44197.5, book.DateOnly, false, "2021-01-01T12:00:00"}, // the time is preserved
		{2958465, book.DateOnly, false, "9999-12-31"},
		{2958466, book.DateOnly, false, ""},
		{2958465.9999999999, book.DateTime, false, ""}, // rounds to the day after the last
		{0, book.DateOnly, false, ""},
		{0.5, book.DateOnly, false, ""},
		{-1, book.DateOnly, false, ""},
		{math.NaN(), book.DateOnly, false, ""},
		{math.Inf(1), book.Elapsed, false, ""},
		{0, book.TimeOnly, false, "00:00:00"},
		{0.25, book.DateTime, false, "06:00:00"},
		{0.999999999, book.TimeOnly, false, "00:00:00"}, // not a date
		{44197.25, book.TimeOnly, false, "2021-01-01T06:00:00"},
		{44197.42384259259, book.DateTime, false, "2021-01-01T10:10:20"},
		{44197.0000057870, book.DateTime, false, "2021-01-01T00:00:00.500"},
		{10.631362, book.Elapsed, false, "255:09:09.677"},
		{1.5, book.Elapsed, true, "36:00:00"},
		{0, book.DateOnly, true, "1904-01-01"},
		{0.5, book.DateTime, true, "1904-01-01T12:00:00"},
		{0.5, book.TimeOnly, true, "12:00:00"},
		{42735, book.DateOnly, true, "2021-01-01"},
		{2957003, book.DateOnly, true, "9999-12-31"},
		{2957004, book.DateOnly, true, ""},
	}
	for _, tt := range tests {
		got, ok := book.AppendDate([]byte("x"), tt.serial, tt.format, tt.y1904)
		require.Equal(t, tt.want != "", ok, "%+v", tt)
		require.Equal(t, "x"+tt.want, string(got), "%+v", tt)
	}
}

// Every day from 1900-03-01 to 9999-12-31 equals that of the standard library.
func TestEveryDay(t *testing.T) {
	t.Parallel()
	date := time.Date(1900, 3, 1, 0, 0, 0, 0, time.UTC)
	var buf []byte
	for serial := 61; serial <= 2958465; serial++ {
		var ok bool
		buf, ok = book.AppendDate(buf[:0], float64(serial), book.DateOnly, false)
		if want := date.Format(time.DateOnly); !ok || string(buf) != want {
			t.Fatalf("day %d is %q, not %q", serial, buf, want)
		}
		date = date.AddDate(0, 0, 1)
	}
	require.Equal(t, 10000, date.Year())
}
