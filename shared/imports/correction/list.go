package correction

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Query specifies which rows to list.
type Query struct {
	Outcome     rowwrite.Outcome // 0: any
	Field, Code string           // of a row error; "": any
	OpenOnly    bool             // only failed rows that are not fixed yet
	Text        string           // contained in a cell of the row, without regard to case; "": any
	After       int64            // the last row of the previous page
	Limit       int
}

// Page is a page of the rows that match a query.
type Page struct {
	Job  *job.Job
	Rows []Row
	// Next is the position of the next page, for Query.After; More reports whether there may be
	// further rows.
	Next int64
	More bool
}

// Row is a row with its cells and its outcome.
type Row struct {
	Number  int64
	Outcome rowwrite.Outcome // in the import itself
	Open    bool             // the row is in error and has not been fixed since
	// Errors lists the errors of the last attempt.
	Errors  []rowwrite.Error
	Retry   *job.RowAttempt  // the last retry of the row, finished or pending; nil for none
	Retried rowwrite.Outcome // outcome of the retry; rowwrite.Pending until it is known
	Cells   []string         // in the order of the file
	Values  []rows.Value     // of the mapped fields
}

// maxPageBytes is the approximate maximum size of a page's cells in bytes; a single row may exceed
// it.
const maxPageBytes = 1 << 20

// maxCellRunes is the maximum number of characters of a cell; a longer text is shortened with "…".
const maxCellRunes = 500

// List returns rows with their cells. SOURCE_GONE: the file is no longer stored.
func (s *Service) List(ctx context.Context, ref job.Ref, q Query) (*Page, error) {
	in, err := s.loadInput(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer in.close()
	l := &lister{Service: s, input: in, query: q, page: &Page{Job: in.job}}
	f := &rowFilter{outcome: q.Outcome, field: q.Field, code: q.Code, open: q.OpenOnly}
	if f.open {
		f.outcome = rowwrite.Errored
	}
	l.page.Next, l.page.More, err = s.scan(ctx, in.job, q.After, f, func(e *entry, wanted []int64) (int64, bool, error) {
		return l.readEntry(ctx, e, wanted)
	})
	if err != nil {
		return nil, fmt.Errorf("rows of job %s: %w", in.job.ID, err)
	}
	return l.page, nil
}

// lister builds a page.
type lister struct {
	*Service
	input *input
	query Query
	page  *Page
	size  int // size of its cells in bytes
}

// readEntry adds rows of a ledger entry, and returns the last row that it has processed.
func (l *lister) readEntry(ctx context.Context, e *entry, wanted []int64) (_ int64, enough bool, err error) {
	decoder, err := l.input.decoder(ctx, e.corrections)
	if err != nil {
		return 0, false, err
	}
	last := wanted[0] - 1
	err = l.input.eachRow(ctx, e.chunk, func(r *sheet.Row) error {
		for len(wanted) > 0 && wanted[0] < r.Number {
			wanted = wanted[1:]
		}
		if len(wanted) == 0 {
			return errStop
		}
		if wanted[0] != r.Number || !containsText(r, l.query.Text) {
			return nil
		}
		if len(l.page.Rows) == l.query.Limit || l.size > maxPageBytes {
			enough = true
			return errStop
		}
		l.addRow(e, r, decoder)
		last = r.Number
		return decoder.Budget.Err()
	})
	return last, enough, err
}

// addRow adds a row to the page.
func (l *lister) addRow(e *entry, r *sheet.Row, decoder *rows.Decoder) {
	row := Row{Number: r.Number, Outcome: rowwrite.Outcome(e.chunk.Outcomes[r.Number-e.chunk.FirstRow])}
	row.Open = job.IsOpenError(row.Outcome, e.attempts, r.Number)
	row.Errors = e.results[r.Number].Errors
	row.Retry, row.Retried = job.LatestAttempt(e.attempts, r.Number)
	for _, c := range r.Cells {
		text := shortenCell(string(c.DisplayText()))
		row.Cells = append(row.Cells, text)
		l.size += len(text)
	}
	row.Values = decoder.ReadValues(r)
	for i := range row.Values {
		v := &row.Values[i]
		if v.Read = shortenCell(v.Read); v.Typed != nil {
			v.Typed = new(shortenCell(*v.Typed))
		}
		l.size += 2 * len(v.Read)
	}
	l.page.Rows = append(l.page.Rows, row)
}

// containsText reports whether one of the row's cells contains the text.
func containsText(r *sheet.Row, text string) bool {
	if text == "" {
		return true
	}
	for _, c := range r.Cells {
		if strings.Contains(strings.ToLower(string(bytes.ToValidUTF8(c.DisplayText(), nil))), strings.ToLower(text)) {
			return true
		}
	}
	return false
}

// shortenCell shortens the text of a cell for display.
func shortenCell(text string) string {
	if utf8.RuneCountInString(text) <= maxCellRunes {
		return text
	}
	return string([]rune(text)[:maxCellRunes]) + "…"
}
