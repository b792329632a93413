package generate

import (
	"slices"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// History is the expected state of an import's rows after the import and all retries of its
// failed rows, with the corrections.
type History struct {
	*Import
	attempts            []attempt
	openRows            map[int64][]string        // failed rows, with the fields that the last attempt refused
	corrected           map[int64]map[string]Cell // saved corrections by row and field
	correctedSinceRetry map[int64]bool            // rows that were corrected since their last retry
}

// CanRetryRows reports whether rows of the type can be retried individually.
func (m *Import) CanRetryRows() bool {
	_, ok := m.kind.model(m).(retryModel)
	return ok
}

// NewHistory returns the history of an import with the states of its rows. decided contains the
// values that a person has decided, by field. The type must be Correctable.
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

// noteOutcomes records the failed rows of an attempt. Rows that were only planned are unchanged.
func (h *History) noteOutcomes(records []Record, lines []checker.Line, fate RowStates) {
	for i, line := range lines {
		row := int64(i + 1)
		if fate(row).isPlanned() {
			continue
		}
		switch line.Outcome {
		case rowwrite.Errored:
			h.openRows[row] = nil
			if !slices.Contains(line.Codes, Undelivered) {
				h.openRows[row] = h.decode(records[i]).invalidFields
			}
		case rowwrite.Created, rowwrite.Updated, rowwrite.Unchanged, rowwrite.Skipped, checker.Unknown:
			delete(h.openRows, row)
		}
	}
}

// OpenRows returns the failed rows.
func (h *History) OpenRows() []int64 { return sorted(h.openRows) }

// RowsToRetry returns the rows of a retry: all open rows, or those corrected since their last
// retry.
func (h *History) RowsToRetry(all bool) []int64 {
	if all {
		return h.OpenRows()
	}
	return slices.DeleteFunc(h.OpenRows(), func(row int64) bool { return !h.correctedSinceRetry[row] })
}

// NoteRetry records that an import retries rows.
func (h *History) NoteRetry(rows []int64) {
	for _, row := range rows {
		delete(h.correctedSinceRetry, row)
	}
}

// ExpectRetry returns the expected results of a retry: the outcome of every line, and the counts
// by outcome.
func (h *History) ExpectRetry(rows []int64, fate RowStates) ([]checker.Line, job.Counts) {
	model := h.modelAfter(h.attempts...).(retryModel)
	model.beginRetry()
	records := make([]Record, len(h.Records))
	for i := range records {
		records[i] = Record{Outcome: rowwrite.Blank}
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

// Tables returns the expected contents of the organisation's tables.
func (h *History) Tables() []checker.Table { return h.modelAfter(h.attempts...).tables() }

// correctedRecord returns a row with all corrections. A row with a wrong number of cells can only
// be read once every field is corrected.
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
