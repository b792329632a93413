package review

import (
	"context"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
)

// maxPersonScore is the maximum score of a person. Texts about relatives are similar, so a person
// must not be accepted for the similarity alone, as clients do with higher scores.
const maxPersonScore = 0.7

// people returns the people that rows with the value may be about, or with any value of the import.
// Candidates for other texts are not found: this is no search for people.
func (s *Service) people(ctx context.Context, tx pgx.Tx, j *job.Job, c CandidateQuery) ([]mapping.Suggestion, error) {
	cells, err := s.store.CellMappings(ctx, tx, j.Key)
	if err != nil {
		return nil, err
	}
	cells = slices.DeleteFunc(cells, func(m job.MappedCell) bool {
		return m.TargetField != job.PersonField || c.Value != "" && m.Value != c.Value
	})
	found, err := s.personCandidates(ctx, tx, j, cells)
	if err != nil {
		return nil, err
	}
	var known []entity.Candidate
	listed := make(map[int64]bool)
	for _, m := range cells {
		for _, p := range found[m.Value] {
			if !listed[p.ID] {
				listed[p.ID] = true
				known = append(known, p)
			}
		}
	}
	return limitScores(c.rank(known)), nil
}

// personCandidates returns the people that rows with the values may be about, by value.
func (s *Service) personCandidates(ctx context.Context, tx pgx.Tx, j *job.Job, cells []job.MappedCell) (map[string][]entity.Candidate, error) {
	kind, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return nil, err
	}
	asker, ok := kind.(entity.PersonAsker)
	if !ok || len(cells) == 0 {
		return nil, nil
	}
	texts := make([]string, len(cells))
	for i, c := range cells {
		texts[i] = c.Value
	}
	return asker.PersonCandidates(ctx, tx, j.OrganisationID, contextIDOf(j), texts)
}

func rankPeople(known []entity.Candidate, value string) []mapping.Suggestion {
	return limitScores(mapping.NewRanking(toRankable(known)).Order(value))
}

func limitScores(people []mapping.Suggestion) []mapping.Suggestion {
	for i := range people {
		people[i].Score = min(people[i].Score, maxPersonScore)
	}
	return people
}

// setPerson decides about the person of a question.
func (a *cellDecider) setPerson(m *job.MappedCell, decision CellDecision) error {
	switch {
	case decision.Ignore:
		m.SetTarget(job.Ignored, job.MappedCell{})
	case decision.Create:
		m.SetTarget(job.ManualMatched, job.MappedCell{Create: true})
	case decision.TargetEntityID != nil && slices.ContainsFunc(a.people[m.Value], func(c entity.Candidate) bool { return c.ID == *decision.TargetEntityID }):
		m.SetTarget(job.ManualMatched, job.MappedCell{EntityID: strconv.FormatInt(*decision.TargetEntityID, 10)})
	default:
		return invalidDecision("Choose one of the candidates of the value %d by its targetEntityId, create for a new person, or ignore.", m.ID)
	}
	return nil
}
