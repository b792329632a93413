// Package recall turns what people decide about one import into what is
// remembered for the next ones, and back into what the matching of columns and
// values takes. Package postgres keeps it.
//
// A decision is remembered when it is confirmed:
//
//	store.RememberColumns(ctx, tx, j, recall.OfColumns(j, columns))
//	store.RememberCells(ctx, tx, j, recall.OfCells(j, cells))
//
// Remembered is what a person said about one column or value: nothing that was only
// confirmed along with the rest, set as a default for many, or recalled itself, and
// nothing of a dry run.
package recall

import (
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
)

// OfColumns returns what a person decided about columns of a job: those that were
// mapped or ignored by hand. Of columns with the same header, one that is mapped
// counts before those that are ignored.
func OfColumns(j *job.Job, columns []job.MappedColumn) []job.ColumnDecision {
	if j.DryRun {
		return nil
	}
	var decisions []job.ColumnDecision
	places := make(map[string]int)
	for _, c := range columns {
		key := mapping.HeaderKey(c.Header)
		if key == "" || job.Annotation(c.Header) || !c.Decided || !settled(c.Status) {
			continue
		}
		if i, twice := places[key]; twice {
			if decisions[i].TargetField == "" {
				decisions[i].Header, decisions[i].TargetField = c.Header, c.TargetField
			}
			continue
		}
		places[key] = len(decisions)
		decisions = append(decisions, job.ColumnDecision{Key: key, Header: c.Header, TargetField: c.TargetField})
	}
	return decisions
}

// OfCells returns what a person decided about values of a job.
func OfCells(j *job.Job, cells []job.MappedCell) []job.CellDecision {
	if j.DryRun {
		return nil
	}
	var decisions []job.CellDecision
	type place struct{ field, key string }
	seen := make(map[place]bool)
	for _, c := range cells {
		p := place{c.TargetField, mapping.ValueKey(c.Value)}
		if p.key == "" || seen[p] || !c.Decided || !settled(c.Status) || c.TargetValue != "" || c.Empty {
			continue
		}
		seen[p] = true
		decisions = append(decisions, job.CellDecision{TargetField: p.field, Key: p.key, Value: c.Value, EntityID: c.EntityID, Create: c.Create})
	}
	return decisions
}

func settled(s job.MappingStatus) bool { return s == job.ManualMatched || s == job.Ignored }

// HeaderKeys are the keys under which headers are remembered.
func HeaderKeys(headers []string) []string {
	keys := make([]string, len(headers))
	for i, h := range headers {
		keys[i] = mapping.HeaderKey(h)
	}
	return keys
}

// ValueKeys are the keys under which values are remembered.
func ValueKeys(values []string) []string {
	keys := make([]string, len(values))
	for i, v := range values {
		keys[i] = mapping.ValueKey(v)
	}
	return keys
}

// ForColumns returns remembered decisions as the matching of columns takes them,
// after one that needs no person: what an error workbook says about its rows is
// no data.
func ForColumns(remembered []job.ColumnDecision) []mapping.Decision {
	decisions := []mapping.Decision{{Header: job.RowHeader, Ignored: true}, {Header: job.ErrorHeader, Ignored: true}}
	for _, d := range remembered {
		decisions = append(decisions, mapping.Decision{Header: d.Header, Target: d.TargetField, Ignored: d.TargetField == ""})
	}
	return decisions
}
