package generate

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// attempt is what an import has written of records.
type attempt struct {
	of      *Import
	records []Record
	written Fate
}

// attempt returns what of an import is written that came to these lines.
func (m *Import) attempt(records []Record, lines []checker.Line, fate Fate) attempt {
	a := attempt{m, records, fate}
	for i := range lines {
		if !fate(int64(i + 1)).unwritten() {
			continue
		}
		wrote := make([]bool, len(lines))
		for n, line := range lines {
			wrote[n] = line.Outcome == job.Created || line.Outcome == job.Updated || line.Outcome == job.Unchanged
		}
		a.written = func(row int64) Happened {
			if fate(row) == Taken && wrote[row-1] {
				return Taken
			}
			return Left
		}
		break
	}
	return a
}

// after is what there is when attempts have been made at rows of the import, one after the
// other.
func (m *Import) after(attempts ...attempt) model {
	model := m.kind.model(m)
	for i, a := range attempts {
		if m.DryRun {
			break
		}
		if again, ok := model.(againModel); ok && i > 0 {
			again.again()
		}
		a.of.apply(model, a.records, a.written)
	}
	return model
}

// takeBack says of a line that it was planned and not written, or given up then, or that its
// own chunk has not said yet what another one has rehearsed.
func takeBack(line *checker.Line, how Happened) {
	switch {
	case how == Elsewhere && line.Outcome != job.Blank && line.Outcome != job.Header:
		*line = checker.Line{Outcome: job.Pending}
	case how == Lost && (line.Outcome == job.Created || line.Outcome == job.Updated):
		*line = checker.Line{Outcome: job.Errored, Codes: []string{Undelivered}}
	case how == Planned && line.Outcome == job.Created:
		line.Outcome = job.PlannedCreated
	case how == Planned && line.Outcome == job.Updated:
		line.Outcome = job.PlannedUpdated
	}
}
