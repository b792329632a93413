package telemetry

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// Rows counts an import's rows by outcome. The caller that commits an outcome counts it, so that
// every row is counted once and the outcomes add up to the number of rows.
func (m *Metrics) Rows(importType string, c job.Counts) {
	for _, of := range []struct {
		outcome rowwrite.Outcome
		n       int64
	}{{rowwrite.Created, c.Created}, {rowwrite.Updated, c.Updated}, {rowwrite.Unchanged, c.Unchanged}, {rowwrite.Skipped, c.Skipped}, {rowwrite.Errored, c.Errored}} {
		if of.n > 0 {
			m.Count("import.rows", of.n, Dimension{"importType", importType}, Dimension{"outcome", of.outcome.String()})
		}
	}
}
