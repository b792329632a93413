package xls_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls"
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
			cells[i] = strings.TrimSuffix(kinds[c.Kind]+" "+text(c), " ")
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
	d, err := xls.Detect(context.Background(), bytes.NewReader(file), sheet.Options{HeaderRow: 1}, lim)
	if err != nil {
		return readOutcome{err: err}
	}
	out := readOutcome{dialect: d}
	r, err := xls.Open(context.Background(), bytes.NewReader(file), d, lim)
	if err != nil {
		out.err = err
		return out
	}
	for r.Next() {
		out.rows = append(out.rows, show(r.Row()))
	}
	out.err, out.counts = r.Err(), r.Counts()
	require.NoError(tb, r.Close())
	return out
}
