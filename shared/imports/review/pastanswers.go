package review

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/pastanswer"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
)

// PastAnswerStore loads what people answered in earlier imports.
type PastAnswerStore interface {
	PastAnswers(ctx context.Context, tx pgx.Tx, importType string, subjects []pastanswer.Subject) (map[string]*pastanswer.Entry, error)
}

// PastColumnAnswers returns what people answered about the headers of undecided columns in earlier
// imports of the type, by the ids of the columns, while a person is asked about them.
func (s *Service) PastColumnAnswers(ctx context.Context, tx pgx.Tx, j *job.Job, d *entity.Declaration, columns []job.MappedColumn) (map[int64]*pastanswer.Entry, error) {
	if j.Status != job.ColumnMapping {
		return nil, nil
	}
	subjects := make(map[int64]pastanswer.Subject)
	var all []pastanswer.Subject
	for i := range columns {
		if c := &columns[i]; !c.Confirmed && c.ColumnIndex >= 0 && c.Header != "" {
			subjects[c.ID] = pastanswer.Subject{Text: c.Header}
			all = append(all, subjects[c.ID])
		}
	}
	entries, err := s.store.PastAnswers(ctx, tx, j.ImportType, all)
	if err != nil {
		return nil, err
	}
	found := make(map[int64]*pastanswer.Entry)
	for id, subject := range subjects {
		if e := entries[subject.ID(j.ImportType)]; e.IsSuggested() && (e.Answers[0].Ignore || d.FieldIndex(e.Answers[0].TargetField) >= 0) {
			found[id] = e
		}
	}
	return found, nil
}

// CellSuggestions help a person to decide about a value.
type CellSuggestions struct {
	Candidates []mapping.Suggestion
	Past       *pastanswer.Entry // what people answered in earlier imports; nil for nothing
}

// pastCellAnswers returns what people answered about values in earlier imports of the job's type.
func (s *Service) pastCellAnswers(ctx context.Context, tx pgx.Tx, j *job.Job, open map[string][]job.MappedCell) (map[string]*pastanswer.Entry, error) {
	var subjects []pastanswer.Subject
	for field, cells := range open {
		if field == job.PersonField {
			continue
		}
		for i := range cells {
			subjects = append(subjects, subjectOf(&cells[i]))
		}
	}
	return s.store.PastAnswers(ctx, tx, j.ImportType, subjects)
}

func subjectOf(c *job.MappedCell) pastanswer.Subject {
	return pastanswer.Subject{Field: c.TargetField, Text: c.Value}
}

// withPast moves the candidate that a past answer means to the front. It returns no entry if the answer
// is no suggestion, or means a candidate that no longer exists.
func withPast(e *pastanswer.Entry, ranked []mapping.Suggestion, known []entity.Candidate, limit int) CellSuggestions {
	if !e.IsSuggested() {
		return CellSuggestions{Candidates: ranked}
	}
	a := e.Answers[0].Answer
	if a.Ignore || a.Empty {
		return CellSuggestions{Candidates: ranked, Past: e}
	}
	isMeant := func(c mapping.Candidate) bool {
		return c.IsWord && a.TargetValue != "" && c.Name == a.TargetValue || !c.IsWord && a.EntityID == strconv.FormatInt(c.ID, 10)
	}
	for _, c := range known {
		meant := mapping.Suggestion{Candidate: mapping.Candidate{ID: c.ID, Name: c.Name, OtherNames: c.OtherNames, IsWord: c.IsWord}}
		if !isMeant(meant.Candidate) {
			continue
		}
		if i := slices.IndexFunc(ranked, func(s mapping.Suggestion) bool { return isMeant(s.Candidate) }); i >= 0 {
			meant = ranked[i]
			ranked = slices.Delete(slices.Clone(ranked), i, i+1)
		}
		ranked = append([]mapping.Suggestion{meant}, ranked...)
		return CellSuggestions{Candidates: ranked[:min(limit, len(ranked))], Past: e}
	}
	return CellSuggestions{Candidates: ranked}
}
