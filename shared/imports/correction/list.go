package correction

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Query says which rows are to be shown.
type Query struct {
	Outcome     job.Outcome // 0: any
	Field, Code string      // of a row error; "": any
	OpenOnly    bool        // only those in error that are still to be put right
	Text        string      // somewhere in the row, without regard to case; "": any
	After       int64       // the last row that has been seen
	Limit       int
}

// Page is a part of the rows that a query means.
type Page struct {
	Job  *job.Job
	Rows []Row
	// Next is where the next call goes on, as Query.After; More says whether there may be
	// rows behind it.
	Next int64
	More bool
}

// Row is a row as it was read and what became of it.
type Row struct {
	Number  int64
	Outcome job.Outcome // in the import itself
	Open    bool        // it is in error, and nobody has put it right since
	// Errors are those of the last attempt at the row.
	Errors  []job.RowError
	Retry   *job.RowAttempt // the last rerun that has come to it, or is about to; nil for none
	Retried job.Outcome     // what that has made of it; job.Pending while it is about to
	Cells   []string        // as the file has them, in its order
	Values  []rows.Value    // of the mapped fields
}

// maxPageBytes is about the most bytes of cells that a page has, a single row apart.
const maxPageBytes = 1 << 20

// maxCellRunes is the most characters of a cell that are shown; a longer one ends in "…".
const maxCellRunes = 500

// List returns rows with all that their cells hold. SOURCE_GONE: the file is not kept.
func (s *Service) List(ctx context.Context, ref job.Ref, q Query) (*Page, error) {
	in, err := s.loadInput(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer in.file.Close()
	l := &lister{Service: s, input: in, query: q, page: &Page{Job: in.job}}
	f := &rowFilter{outcome: q.Outcome, field: q.Field, code: q.Code, open: q.OpenOnly}
	if f.open {
		f.outcome = job.Errored
	}
	l.page.Next, l.page.More, err = s.scan(ctx, in.job, q.After, f, func(e *entry, wanted []int64) (int64, bool, error) {
		return l.readEntry(ctx, e, wanted)
	})
	if err != nil {
		return nil, fmt.Errorf("rows of job %s: %w", in.job.ID, err)
	}
	return l.page, nil
}

// lister is a page on its way.
type lister struct {
	*Service
	input *input
	query Query
	page  *Page
	size  int // bytes of its cells
}

// readEntry adds rows of a ledger entry, and returns the last one that it has looked at.
func (l *lister) readEntry(ctx context.Context, e *entry, wanted []int64) (_ int64, enough bool, err error) {
	decoder, err := l.input.decoder(e.corrections)
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
		return nil
	})
	return last, enough, err
}

// addRow shows a row.
func (l *lister) addRow(e *entry, r *sheet.Row, decoder *rows.Decoder) {
	row := Row{Number: r.Number, Outcome: job.Outcome(e.chunk.Outcomes[r.Number-e.chunk.FirstRow])}
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

// containsText reports whether a row has a text in one of its cells.
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

// shortenCell is a cell's text as far as it is shown.
func shortenCell(text string) string {
	if utf8.RuneCountInString(text) <= maxCellRunes {
		return text
	}
	return string([]rune(text)[:maxCellRunes]) + "…"
}
