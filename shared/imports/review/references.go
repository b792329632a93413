package review

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/problem"
)

// References is Candidates without an import: the entities that values of a field can match
// in a context, or without one if contextID is 0.
func (s *Service) References(ctx context.Context, organisation tenant.ID, decl *entity.Declaration, contextID int64, c CandidateQuery) ([]mapping.Suggestion, error) {
	index := decl.FieldIndex(c.Field)
	if index < 0 || decl.Fields[index].Lookup == nil {
		return nil, problem.New(problem.NotFound, "%s have no field with this name whose values can be matched.", decl.Title)
	}
	var known []entity.Candidate
	err := s.store.InOrganisation(ctx, organisation, func(tx pgx.Tx) (err error) {
		known, err = entity.Candidates(ctx, tx, decl.Fields[index].Lookup, contextID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return c.rank(known), nil
}

// rank returns the candidates, the most similar ones first.
func (c *CandidateQuery) rank(known []entity.Candidate) []mapping.Suggestion {
	return mapping.NewRanking(mapping.FilterCandidates(toRankable(known), c.Search)).Order(c.Value)
}
