package generate

import (
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// attempt contains the records that an import has written.
type attempt struct {
	source  *Import
	records []Record
	written RowStates
}

// newAttempt returns the written part of an import with these outcomes.
func (m *Import) newAttempt(records []Record, lines []checker.Line, fate RowStates) attempt {
	a := attempt{m, records, fate}
	for i := range lines {
		if !fate(int64(i + 1)).isUnwritten() {
			continue
		}
		wrote := make([]bool, len(lines))
		for n, line := range lines {
			wrote[n] = line.Outcome == rowwrite.Created || line.Outcome == rowwrite.Updated || line.Outcome == rowwrite.Unchanged
		}
		a.written = func(row int64) RowState {
			if fate(row) == Processed && wrote[row-1] {
				return Processed
			}
			return NotCommitted
		}
		break
	}
	return a
}

// modelAfter returns the model after these attempts at rows of the import, in sequence.
func (m *Import) modelAfter(attempts ...attempt) model {
	model := m.kind.model(m)
	for i, a := range attempts {
		if m.DryRun {
			break
		}
		if again, ok := model.(retryModel); ok && i > 0 {
			again.beginRetry()
		}
		a.source.apply(model, a.records, a.written)
	}
	return model
}

// revertLine changes the outcome of a line that was planned and not written, that failed while the
// plan was applied, or that another chunk has planned and its own has not confirmed yet.
func revertLine(line *checker.Line, how RowState) {
	switch {
	case how == DecidedElsewhere && line.Outcome != rowwrite.Blank && line.Outcome != rowwrite.Header:
		*line = checker.Line{Outcome: rowwrite.Pending}
	case how == DeadLetteredOnApply && (line.Outcome == rowwrite.Created || line.Outcome == rowwrite.Updated):
		*line = checker.Line{Outcome: rowwrite.Errored, Codes: []string{Undelivered}}
	case how == Approved && line.Outcome == rowwrite.Created:
		line.Outcome = rowwrite.PlannedCreated
	case how == Approved && line.Outcome == rowwrite.Updated:
		line.Outcome = rowwrite.PlannedUpdated
	}
}
