package generate

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// attempt is what an import has written of records.
type attempt struct {
	source  *Import
	records []Record
	written RowStates
}

// newAttempt returns what of an import is written that came to these lines.
func (m *Import) newAttempt(records []Record, lines []checker.Line, fate RowStates) attempt {
	a := attempt{m, records, fate}
	for i := range lines {
		if !fate(int64(i + 1)).isUnwritten() {
			continue
		}
		wrote := make([]bool, len(lines))
		for n, line := range lines {
			wrote[n] = line.Outcome == job.Created || line.Outcome == job.Updated || line.Outcome == job.Unchanged
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

// modelAfter is what there is when attempts have been made at rows of the import, one after the
// other.
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

// revertLine says of a line that it was planned and not written, or given up then, or that its
// own chunk has not said yet what another one has rehearsed.
func revertLine(line *checker.Line, how RowState) {
	switch {
	case how == DecidedElsewhere && line.Outcome != job.Blank && line.Outcome != job.Header:
		*line = checker.Line{Outcome: job.Pending}
	case how == DeadLetteredOnApply && (line.Outcome == job.Created || line.Outcome == job.Updated):
		*line = checker.Line{Outcome: job.Errored, Codes: []string{Undelivered}}
	case how == Approved && line.Outcome == job.Created:
		line.Outcome = job.PlannedCreated
	case how == Approved && line.Outcome == job.Updated:
		line.Outcome = job.PlannedUpdated
	}
}
