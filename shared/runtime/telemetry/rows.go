package telemetry

import "github.com/loadbay/loadbay/shared/job"

// Rows counts an import's rows by outcome. The caller that commits an outcome counts it, so that
// every row is counted once and the outcomes add up to the number of rows.
func (m *Metrics) Rows(importType string, c job.Counts) {
	for _, of := range []struct {
		outcome job.Outcome
		n       int64
	}{{job.Created, c.Created}, {job.Updated, c.Updated}, {job.Unchanged, c.Unchanged}, {job.Skipped, c.Skipped}, {job.Errored, c.Errored}} {
		if of.n > 0 {
			m.Count("import.rows", of.n, Dimension{"importType", importType}, Dimension{"outcome", of.outcome.String()})
		}
	}
}
