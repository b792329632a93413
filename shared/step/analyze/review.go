package analyze

import (
	"slices"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/problem"
)

// oneShot reports whether the job never asks about columns.
func oneShot(j *job.Job) bool { return j.Review == job.ReviewNever }

// requiresReview reports whether a person must review the columns before the import continues: if
// something is missing, or if the import might otherwise write or omit data against the person's
// intention without notice.
func (f *findings) requiresReview(m *mapping.Matcher, j *job.Job, d *entity.Declaration, columns []job.MappedColumn) bool {
	if isReanalysis(j) {
		return true
	}
	switch j.Review {
	case job.ReviewAlways:
		return true
	case job.ReviewNever:
		return false
	}
	mapped := job.TargetFields(columns)
	free := d.UnmappedFields(mapped)
	return len(f.misfits) > 0 || len(f.unreadSheets) > 0 || f.undecided != nil || needsLocales(d, columns) || slices.ContainsFunc(columns, func(c job.MappedColumn) bool {
		return isUncertain(&c) || c.Status == job.Unresolved && f.couldBe(m, &c, free)
	})
}

// isUncertain reports whether the mapping of a used column may be wrong. Confirmed mappings are not
// uncertain.
func isUncertain(c *job.MappedColumn) bool {
	decided := c.Confirmed || c.MatchedBy == job.ByProfile || c.MatchedBy == job.ByMapping || c.MatchedBy == job.ByPerson
	return c.TargetField != "" && !decided && (c.Confidence < 1 || slices.Contains(c.Content.Warnings, string(problem.ColumnContent)))
}

// couldBe reports whether a column seems to contain data of one of the fields.
func (f *findings) couldBe(m *mapping.Matcher, c *job.MappedColumn, free []*entity.Field) bool {
	s := f.content.Summary(c.ColumnIndex)
	return slices.ContainsFunc(free, func(field *entity.Field) bool {
		guessed := slices.ContainsFunc(c.Content.Candidates, func(g job.ColumnCandidate) bool { return g.Field == field.Name && g.Score >= minCandidateScore })
		return guessed || m.CouldHold(field.Name, &s)
	})
}

// minCandidateScore is the minimum score of a candidate that requires a review.
const minCandidateScore = 0.5
