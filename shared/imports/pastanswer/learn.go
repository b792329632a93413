package pastanswer

import (
	"time"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
)

// IsLearnedFrom reports whether the answers in a job count: somebody was asked, and the job is neither
// an undo nor a retry, which repeats the answers of the import that it retries.
func IsLearnedFrom(j *job.Job) bool {
	return !j.AutoStart && !j.DryRun && j.Undo == nil && j.RetryOf == ""
}

// Of returns the answers that people gave in a job, about its columns and about single values. Values
// of personal fields are not among them, and neither are questions about the person of a row.
func Of(j *job.Job, d *entity.Declaration, columns []job.MappedColumn, cells []job.MappedCell, now time.Time) (entries []Entry) {
	add := func(s Subject, a Answer) {
		entries = append(entries, Entry{
			ID: s.ID(j.ImportType), ImportType: j.ImportType, Subject: s, Answers: []Given{{Answer: a, Import: j.ID, At: now}},
		})
	}
	repeated := make(map[string]int)
	for i := range columns {
		repeated[Subject{Text: columns[i].Header}.ID(j.ImportType)]++
	}
	for i := range columns {
		c := &columns[i]
		s := Subject{Text: c.Header}
		if c.ColumnIndex >= 0 && c.Header != "" && c.MatchedBy == job.ByPerson && !c.IsComposed() && repeated[s.ID(j.ImportType)] == 1 {
			add(s, Answer{TargetField: c.TargetField, Ignore: c.Status == job.Ignored})
		}
	}
	for i := range cells {
		c := &cells[i]
		field := d.FieldIndex(c.TargetField)
		a := Answer{EntityID: c.EntityID, Empty: c.Empty, Ignore: c.Status == job.Ignored}
		if c.EntityID == "" {
			a.TargetValue = c.TargetValue
		}
		if c.Decided && field >= 0 && !d.Fields[field].Personal && a != (Answer{}) {
			add(Subject{Field: c.TargetField, Text: c.Value}, a)
		}
	}
	return entries
}
