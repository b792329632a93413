package review

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/problem"
)

// Choice says which candidates of a field are asked for: those whose names have
// all words of Search, the most similar to Value first; "" leaves either out.
type Choice struct {
	Field, Value, Search string
	Offset, Limit        int64
}

// Candidates returns a part of the entities that values of a field can stand for,
// and how many there are. Beyond similarity to the value they are in the order of
// their names, always the same.
func (s *Service) Candidates(ctx context.Context, ref job.Ref, c Choice) (found []mapping.Suggestion, total int64, err error) {
	var known []entity.Candidate
	err = s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.store.Job(ctx, tx, ref.JobID)
		if err != nil {
			return err
		}
		known, err = s.candidates(ctx, tx, j, c.Field)
		return err
	})
	if err != nil {
		return nil, 0, err
	}
	found, total = c.among(known)
	return found, total, nil
}

func rankable(known []entity.Candidate) []mapping.Candidate {
	out := make([]mapping.Candidate, len(known))
	for i, c := range known {
		out[i] = mapping.Candidate(c)
	}
	return out
}

func (s *Service) candidates(ctx context.Context, tx pgx.Tx, j *job.Job, field string) ([]entity.Candidate, error) {
	decl, err := s.declaration(j)
	if err != nil {
		return nil, err
	}
	index := decl.FieldIndex(field)
	if index < 0 || decl.Fields[index].Lookup == nil {
		return nil, problem.New(problem.ParameterInvalid, "%s have no field of that name whose values stand for something.", decl.Title).
			With("targetField", problem.ParameterInvalid, "A field of the kind reference.")
	}
	var contextID int64
	if j.ContextID != nil {
		contextID = *j.ContextID
	}
	return decl.Fields[index].Lookup.List(ctx, tx, contextID)
}

// candidateCheck returns a function that reports whether a field has a candidate of that
// id. It asks for the candidates of each field once.
func (s *Service) candidateCheck(ctx context.Context, tx pgx.Tx, j *job.Job) func(field string, id int64) (bool, error) {
	known := make(map[string]map[int64]bool)
	return func(field string, id int64) (bool, error) {
		if known[field] == nil {
			found, err := s.candidates(ctx, tx, j, field)
			if err != nil {
				return false, err
			}
			known[field] = make(map[int64]bool, len(found))
			for _, c := range found {
				known[field][c.ID] = true
			}
		}
		return known[field][id], nil
	}
}

// Bounds of what is suggested along with the values.
const (
	suggested       = 3   // for each value
	suggestedValues = 200 // that are open; Candidates suggests for any other
)

// Suggest returns the most similar candidates for values that are open, by the
// ids of their mappings: a person chooses among a few before searching all.
func (s *Service) Suggest(ctx context.Context, ref job.Ref, cells []job.MappedCell) (map[int64][]mapping.Suggestion, error) {
	open := make(map[string][]job.MappedCell)
	n := 0
	for _, c := range cells {
		if c.Status == job.Unresolved && n < suggestedValues {
			open[c.TargetField] = append(open[c.TargetField], c)
			n++
		}
	}
	if n == 0 {
		return nil, nil
	}
	known := make(map[string][]entity.Candidate, len(open))
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.store.Job(ctx, tx, ref.JobID)
		for field := range open {
			if err == nil {
				known[field], err = s.candidates(ctx, tx, j, field)
			}
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found := make(map[int64][]mapping.Suggestion, n)
	for field, values := range open {
		ranking := mapping.NewRanking(rankable(known[field]))
		for _, c := range values {
			found[c.ID] = ranking.Nearest(c.Value, suggested)
		}
	}
	return found, nil
}
