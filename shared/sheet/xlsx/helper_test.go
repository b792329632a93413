package xlsx_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx"
)

// readOutcome is the result of reading a workbook.
type readOutcome struct {
	dialect *sheet.Dialect
	rows    []string // "2: T one|N 1|-"
	counts  sheet.Counts
	err     error
}

var kinds = map[sheet.Kind]string{
	sheet.Text: "T", sheet.Number: "N", sheet.Bool: "B", sheet.Date: "D", sheet.ErrorValue: "F", sheet.Formula: "?", sheet.Formatted: "S",
}

func show(r *sheet.Row) string {
	cells := make([]string, len(r.Cells))
	for i, c := range r.Cells {
		cells[i] = "-"
		if c.Kind != sheet.Empty {
			cells[i] = kinds[c.Kind]
			if len(c.Bytes) > 0 {
				cells[i] += " " + text(c)
			}
		}
	}
	line := fmt.Sprintf("%d: %s", r.Number, strings.Join(cells, "|"))
	if r.ErrorCode != "" {
		line += " !" + r.ErrorCode
	}
	return line
}

// text returns a cell's text; for a Formatted one the number and the displayed text.
func text(c sheet.Cell) string {
	if c.Kind == sheet.Formatted {
		return string(c.AsNumber().Bytes) + " as " + string(c.DisplayText())
	}
	return string(c.Bytes)
}

// read passes a workbook through Detect and Open with the header in row 1.
func read(tb testing.TB, file []byte, lim sheet.Limits) readOutcome {
	tb.Helper()
	return readWith(tb, file, sheet.Options{HeaderRow: 1}, lim)
}

func readWith(tb testing.TB, file []byte, opt sheet.Options, lim sheet.Limits) readOutcome {
	tb.Helper()
	d, err := xlsx.Detect(context.Background(), bytes.NewReader(file), opt, lim)
	if err != nil {
		return readOutcome{err: err}
	}
	r, err := xlsx.Open(context.Background(), bytes.NewReader(file), d, lim)
	out := readOutcomeOf(tb, r, err)
	for _, size := range []int{1, 1 + len(file)%61, 1 << 20} {
		requireSamePrefetched(tb, file, d, lim, out, size)
	}
	out.dialect = d
	return out
}

func readOutcomeOf(tb testing.TB, r sheet.Rows, err error) readOutcome {
	tb.Helper()
	if err != nil {
		return readOutcome{err: err}
	}
	var out readOutcome
	for r.Next() {
		out.rows = append(out.rows, show(r.Row()))
	}
	out.err, out.counts = r.Err(), r.Counts()
	require.NoError(tb, r.Close())
	return out
}

// requireSamePrefetched reads a file again with prefetching, in blocks of at most that many bytes,
// or in blocks that end before a row, and requires the same result.
func requireSamePrefetched(tb testing.TB, file []byte, d *sheet.Dialect, lim sheet.Limits, want readOutcome, size int) {
	tb.Helper()
	r, err := xlsx.OpenPrefetch(context.Background(), bytes.NewReader(file), d, lim, func(text, mark []byte) int {
		if i := bytes.LastIndex(text, mark); i > 0 && i < size {
			return i
		}
		return min(len(text), size)
	})
	requireSameOutcome(tb, want, readOutcomeOf(tb, r, err), fmt.Sprintf("in blocks of %d bytes", size))
}

func requireSameOutcome(tb testing.TB, want, got readOutcome, how string) {
	tb.Helper()
	if problem.CodeOf(want.err) == problem.FileTooCompressed {
		require.Equal(tb, problem.CodeOf(want.err), problem.CodeOf(got.err), "%s; the failing row depends on how much is read ahead", how)
		return
	}
	if want.err != nil {
		require.EqualError(tb, got.err, want.err.Error(), how)
		got.err = want.err
	}
	require.Equal(tb, want, got, how)
}
