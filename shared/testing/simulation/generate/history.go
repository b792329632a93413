package generate

import (
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// History is what must have become of an import's rows once it has ended and, after it,
// imports have brought those again that went wrong, with what a person said of them.
type History struct {
	*Import
	attempts            []attempt
	openRows            map[int64][]string        // rows that are to be put right: the fields that the last attempt refused
	corrected           map[int64]map[string]Cell // what is kept, by row and field
	correctedSinceRetry map[int64]bool            // rows of which something was said since they were brought
}

// CanRetryRows reports whether rows of the type can be brought again one by one.
func (m *Import) CanRetryRows() bool {
	_, ok := m.kind.model(m).(retryModel)
	return ok
}

// NewHistory begins the history of an import with what happened to its rows. decided are the
// values that a person has decided about, by field. The type must be Correctable.
func (m *Import) NewHistory(fate RowStates, decided map[string]map[string]bool) *History {
	h := &History{
		Import: m, openRows: make(map[int64][]string), corrected: make(map[int64]map[string]Cell), correctedSinceRetry: make(map[int64]bool),
	}
	lines := m.apply(m.kind.model(m), m.Records, fate)
	h.noteOutcomes(m.Records, lines, fate)
	h.attempts = []attempt{m.newAttempt(m.Records, lines, fate)}
	again := *m
	again.decided = decided
	h.Import = &again
	return h
}

// noteOutcomes keeps which rows of an attempt went wrong. What was rehearsed only has made nothing
// of its rows.
func (h *History) noteOutcomes(records []Record, lines []checker.Line, fate RowStates) {
	for i, line := range lines {
		row := int64(i + 1)
		if fate(row).isPlanned() {
			continue
		}
		switch line.Outcome {
		case job.Errored:
			h.openRows[row] = nil
			if !slices.Contains(line.Codes, Undelivered) {
				h.openRows[row] = h.decode(records[i]).invalidFields
			}
		case job.Created, job.Updated, job.Unchanged, job.Skipped, checker.Unknown:
			delete(h.openRows, row)
		}
	}
}

// OpenRows are the rows that are to be put right.
func (h *History) OpenRows() []int64 { return sorted(h.openRows) }

// RowsToRetry are the rows that a retry brings: all that are open, or those that were corrected
// since they were brought last.
func (h *History) RowsToRetry(all bool) []int64 {
	if all {
		return h.OpenRows()
	}
	return slices.DeleteFunc(h.OpenRows(), func(row int64) bool { return !h.correctedSinceRetry[row] })
}

// NoteRetry notes that an import is to bring rows again.
func (h *History) NoteRetry(rows []int64) {
	for _, row := range rows {
		delete(h.correctedSinceRetry, row)
	}
}

// ExpectRetry is what must come of an import that brings rows again: the outcome of every
// line, and how many must have each.
func (h *History) ExpectRetry(rows []int64, fate RowStates) ([]checker.Line, job.Counts) {
	model := h.modelAfter(h.attempts...).(retryModel)
	model.beginRetry()
	records := make([]Record, len(h.Records))
	for i := range records {
		records[i] = Record{Outcome: job.Blank}
	}
	for _, row := range rows {
		records[row-1] = h.correctedRecord(row)
	}
	lines := h.apply(model, records, fate)
	h.noteOutcomes(records, lines, fate)
	h.attempts = append(h.attempts, h.newAttempt(records, lines, fate))
	counts := countOutcomes(lines)
	h.relax(model, lines)
	return lines, counts
}

// Tables are what the organisation's tables must hold.
func (h *History) Tables() []checker.Table { return h.modelAfter(h.attempts...).tables() }

// correctedRecord is a row as it is read with all that was said of it. One of another width can
// only be read once every field is said.
func (h *History) correctedRecord(row int64) Record {
	r := h.Records[row-1]
	r.Cells = slices.Clone(r.Cells)
	wholly := true
	for i, c := range h.Columns {
		if c.Field == "" {
			continue
		}
		cell, ok := h.corrected[row][c.Field]
		if wholly = wholly && ok; ok {
			r.Cells[i] = cell
		}
	}
	if wholly {
		r.Ragged = 0
	}
	return r
}
