package review

import (
	"context"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/pastanswer"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/valueword"
	"github.com/loadbay/loadbay/shared/problem"
)

// CandidateQuery selects the candidates of a field that have all words of Search in their
// names, ordered by similarity to Value. Either may be "".
type CandidateQuery struct {
	Field, Value, Search string
}

// Candidates returns the entities, or the words, that values of a field can match. Candidates of
// equal similarity are ordered by name, so the order is stable.
func (s *Service) Candidates(ctx context.Context, ref job.Ref, c CandidateQuery) ([]mapping.Suggestion, error) {
	var found []mapping.Suggestion
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.store.Job(ctx, tx, ref.JobID)
		if err != nil {
			return err
		}
		if c.Field == job.PersonField {
			found, err = s.people(ctx, tx, j, c)
			return err
		}
		known, err := s.candidates(ctx, tx, j, c.Field)
		if found = c.rank(known); err != nil || c.Value == "" || c.Search != "" {
			return err
		}
		subject := pastanswer.Subject{Field: c.Field, Text: c.Value}
		past, err := s.store.PastAnswers(ctx, tx, j.ImportType, []pastanswer.Subject{subject})
		if err != nil {
			return err
		}
		found = withPast(past[subject.ID(j.ImportType)], found, known, len(found)).Candidates
		return nil
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

func toRankable(known []entity.Candidate) []mapping.Candidate {
	out := make([]mapping.Candidate, len(known))
	for i, c := range known {
		out[i] = mapping.Candidate{ID: c.ID, Name: c.Name, OtherNames: c.OtherNames, IsWord: c.IsWord}
	}
	valueword.AddTo(out)
	return out
}

func (s *Service) candidates(ctx context.Context, tx pgx.Tx, j *job.Job, field string) ([]entity.Candidate, error) {
	decl, err := s.declaration(ctx, tx, j)
	if err != nil {
		return nil, err
	}
	index := decl.FieldIndex(field)
	if index < 0 || !decl.Fields[index].HasMappableValues() {
		return nil, problem.New(problem.ParameterInvalid, "%s have no field with this name whose values can be matched.", decl.Title).
			With("targetField", problem.ParameterInvalid, "A field with isMappable in GET /api/import-types.")
	}
	f := &decl.Fields[index]
	if f.Lookup == nil {
		return f.WordCandidates(), nil
	}
	return entity.Candidates(ctx, tx, f.Lookup, contextIDOf(j))
}

// contextIDOf returns the id of the context of a job's file, or 0.
func contextIDOf(j *job.Job) int64 {
	if j.ContextID == nil {
		return 0
	}
	return *j.ContextID
}

func newTargetLookup(tx pgx.Tx, j *job.Job) *targetLookup {
	return &targetLookup{tx: tx, job: j, names: make(map[string]map[int64]string), ids: make(map[string]map[string]int64)}
}

// targetLookup finds the entities that values of a job's file can match. Each field is
// queried once.
type targetLookup struct {
	tx    pgx.Tx
	job   *job.Job
	names map[string]map[int64]string // by field and id
	ids   map[string]map[string]int64 // by field and by the name used in files
}

// nameByID returns the name of the entity with this id that values of the field can match,
// and whether it exists.
func (t *targetLookup) nameByID(ctx context.Context, f *entity.Field, id int64) (string, bool, error) {
	if t.names[f.Name] == nil {
		found, err := entity.Candidates(ctx, t.tx, f.Lookup, contextIDOf(t.job))
		if err != nil {
			return "", false, err
		}
		t.names[f.Name] = make(map[int64]string, len(found))
		for _, c := range found {
			t.names[f.Name][c.ID] = c.Name
		}
	}
	name, ok := t.names[f.Name][id]
	return name, ok, nil
}

// preload looks up the targets of all decisions at once, by the names used in files.
func (t *targetLookup) preload(ctx context.Context, d *entity.Declaration, decisions []CellDecision, fieldOf func(*CellDecision) string) error {
	texts := make(map[string]map[string]bool) // by field
	for i := range decisions {
		if field := fieldOf(&decisions[i]); decisions[i].TargetValue != "" {
			if texts[field] == nil {
				texts[field] = make(map[string]bool)
			}
			texts[field][decisions[i].TargetValue] = true
		}
	}
	for _, field := range slices.Sorted(maps.Keys(texts)) {
		index := d.FieldIndex(field)
		if index < 0 || d.Fields[index].Lookup == nil {
			continue
		}
		found, err := entity.Resolve(ctx, t.tx, d.Fields[index].Lookup, contextIDOf(t.job), slices.Sorted(maps.Keys(texts[field])))
		if err != nil {
			return err
		}
		t.ids[field] = found
	}
	return nil
}

// idByName returns the id of the entity that a text of a file matches, or 0. The text must
// have been looked up by preload.
func (t *targetLookup) idByName(f *entity.Field, text string) int64 { return t.ids[f.Name][text] }

// Limits of the suggestions that are returned with the values.
const (
	maxSuggestions     = 3   // for each value
	maxSuggestedValues = 200 // unresolved values; Candidates has suggestions for any other
)

// SuggestCandidates returns the most similar candidates for unresolved values, by the ids of
// their mappings, so that a person chooses among a few before searching all. The first one is that of
// earlier imports, if they all had the same answer.
func (s *Service) SuggestCandidates(ctx context.Context, ref job.Ref, cells []job.MappedCell) (map[int64]CellSuggestions, error) {
	open := make(map[string][]job.MappedCell)
	n := 0
	for _, c := range cells {
		if c.Status == job.Unresolved && n < maxSuggestedValues {
			open[c.TargetField] = append(open[c.TargetField], c)
			n++
		}
	}
	if n == 0 {
		return nil, nil
	}
	known := make(map[string][]entity.Candidate, len(open))
	var people map[string][]entity.Candidate // by text
	var past map[string]*pastanswer.Entry
	var importType string
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := s.store.Job(ctx, tx, ref.JobID)
		for field, values := range open {
			switch {
			case err != nil:
			case field == job.PersonField:
				people, err = s.personCandidates(ctx, tx, j, values)
			default:
				known[field], err = s.candidates(ctx, tx, j, field)
			}
		}
		if err == nil {
			importType = j.ImportType
			past, err = s.pastCellAnswers(ctx, tx, j, open)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	found := make(map[int64]CellSuggestions, n)
	for _, c := range open[job.PersonField] {
		ranked := rankPeople(people[c.Value], c.Value)
		found[c.ID] = CellSuggestions{Candidates: ranked[:min(maxSuggestions, len(ranked))]}
	}
	delete(open, job.PersonField)
	for field, values := range open {
		ranking := mapping.NewRanking(toRankable(known[field]))
		for _, c := range values {
			found[c.ID] = withPast(past[subjectOf(&c).ID(importType)], ranking.Nearest(c.Value, maxSuggestions), known[field], maxSuggestions)
		}
	}
	return found, nil
}
