package resolve

import (
	"context"
	"encoding/json"
	"iter"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/mapping/document"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/profile"
)

// InitialMappings loads the value mappings that apply before a question is asked.
type InitialMappings interface {
	SuppliedMapping(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error)
	ProfileVersion(ctx context.Context, tx pgx.Tx, id job.ProfileID, number int) (*profile.Version, error)
}

// valueMapping is a mapping with value decisions: from the request that created the job, or from
// the job's profile.
type valueMapping struct {
	mapping *document.Document
	profile *job.UsedProfile // nil for the mapping from the request
}

// loadMappings returns the mappings that apply to a job, in order of precedence.
func (s *Step) loadMappings(ctx context.Context, tx pgx.Tx, j *job.Job) (found []valueMapping, err error) {
	text, err := s.store.SuppliedMapping(ctx, tx, j.Key)
	if err != nil {
		return nil, err
	}
	if text != nil {
		doc, err := document.Parse(text)
		if err != nil {
			return nil, err
		}
		found = append(found, valueMapping{mapping: doc})
	} else if j.RetryOf != "" {
		doc, err := s.loadPreviousDecisions(ctx, tx, j)
		if err != nil {
			return nil, err
		}
		found = append(found, valueMapping{mapping: doc})
	}
	if j.Profile == nil {
		return found, nil
	}
	v, err := s.store.ProfileVersion(ctx, tx, j.Profile.ID, j.Profile.Version)
	if err != nil {
		return nil, err
	}
	doc, err := v.Document()
	return append(found, valueMapping{doc, j.Profile}), err
}

// loadPreviousDecisions returns the value decisions of the import that the job
// retries.
func (s *Step) loadPreviousDecisions(ctx context.Context, tx pgx.Tx, j *job.Job) (*document.Document, error) {
	before, err := s.store.Job(ctx, tx, j.RetryOf)
	if problem.CodeOf(err) == problem.NotFound {
		return &document.Document{}, nil // it has been deleted in the meantime
	}
	if err != nil {
		return nil, err
	}
	cells, err := s.store.CellMappings(ctx, tx, before.Key)
	return apply.DocumentOf(nil, cells), err
}

// hasDecisions reports whether any of the mappings decides values of the field.
func hasDecisions(sources []valueMapping, field string) bool {
	return slices.ContainsFunc(sources, func(s valueMapping) bool {
		return slices.ContainsFunc(s.mapping.Values, func(v document.Value) bool { return v.Field == field }) ||
			slices.ContainsFunc(s.mapping.Defaults, func(d document.Default) bool { return d.Field == field })
	})
}

// decidedTexts returns the texts of a field that any of the mappings decides.
func decidedTexts(sources []valueMapping, field string) map[string]bool {
	named := make(map[string]bool)
	for _, s := range sources {
		for _, v := range s.mapping.Values {
			if v.Field == field {
				named[v.Value] = true
			}
		}
	}
	return named
}

// fieldDecisions are the decisions of one mapping about values of one field.
type fieldDecisions struct {
	valueMapping
	exact    map[string]document.Target // by text
	similar  map[string]document.Target // by mapping.ValueKey; the first of several similar texts
	fallback *document.Target           // for unmatched values
}

func (s valueMapping) decisionsFor(field string) fieldDecisions {
	a := fieldDecisions{valueMapping: s, exact: make(map[string]document.Target), similar: make(map[string]document.Target)}
	for _, v := range s.mapping.Values {
		if v.Field != field {
			continue
		}
		a.exact[v.Value] = v.Target
		if key := mapping.ValueKey(v.Value); key != "" {
			if _, taken := a.similar[key]; !taken {
				a.similar[key] = v.Target
			}
		}
	}
	for i, d := range s.mapping.Defaults {
		if d.Field == field {
			a.fallback = &s.mapping.Defaults[i].Target
		}
	}
	return a
}

// targets iterates over the targets of all decisions.
func (a *fieldDecisions) targets() iter.Seq[document.Target] {
	return func(yield func(document.Target) bool) {
		for _, t := range a.exact { // includes the decisions in similar
			if !yield(t) {
				return
			}
		}
		if a.fallback != nil {
			yield(*a.fallback)
		}
	}
}

// lookup returns the decision about a text: about exactly this text, or about one that differs
// only in case, accents and punctuation.
func (a *fieldDecisions) lookup(text string) (document.Target, bool) {
	if t, ok := a.exact[text]; ok {
		return t, true
	}
	t, ok := a.similar[mapping.ValueKey(text)]
	return t, ok
}
