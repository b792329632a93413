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

// InitialMappings keeps the mappings that say what values stand for before anybody is asked.
type InitialMappings interface {
	SuppliedMapping(ctx context.Context, tx pgx.Tx, key job.Key) (json.RawMessage, error)
	ProfileVersion(ctx context.Context, tx pgx.Tx, id job.ProfileID, number int) (*profile.Version, error)
}

// valueMapping is a mapping that says what values stand for: the one that came with the job, or
// that of the profile that its file is read by.
type valueMapping struct {
	mapping *document.Document
	profile *job.UsedProfile // nil for the one that came with the job
}

// loadMappings are the mappings that hold for a job, the one that counts first.
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

// loadPreviousDecisions is what was said of values in the import whose failed rows the job brings
// again.
func (s *Step) loadPreviousDecisions(ctx context.Context, tx pgx.Tx, j *job.Job) (*document.Document, error) {
	before, err := s.store.Job(ctx, tx, j.RetryOf)
	if problem.CodeOf(err) == problem.NotFound {
		return &document.Document{}, nil // it has been deleted meanwhile
	}
	if err != nil {
		return nil, err
	}
	cells, err := s.store.CellMappings(ctx, tx, before.Key)
	return apply.DocumentOf(nil, cells), err
}

// hasDecisions reports whether any of the mappings says something of values of the field.
func hasDecisions(sources []valueMapping, field string) bool {
	return slices.ContainsFunc(sources, func(s valueMapping) bool {
		return slices.ContainsFunc(s.mapping.Values, func(v document.Value) bool { return v.Field == field }) ||
			slices.ContainsFunc(s.mapping.Defaults, func(d document.Default) bool { return d.Field == field })
	})
}

// decidedTexts are those of a field that any of the mappings says something of.
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

// fieldDecisions are what one mapping says of values of one field.
type fieldDecisions struct {
	valueMapping
	exact    map[string]document.Target // by text
	similar  map[string]document.Target // by mapping.ValueKey; the first of those that are alike
	fallback *document.Target           // for what stands for nothing
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

// targets are all that values are said to be.
func (a *fieldDecisions) targets() iter.Seq[document.Target] {
	return func(yield func(document.Target) bool) {
		for _, t := range a.exact { // what is said of texts that are alike is among these
			if !yield(t) {
				return
			}
		}
		if a.fallback != nil {
			yield(*a.fallback)
		}
	}
}

// lookup is what is said of a text: of that very one, or of one that is the same but for its
// case, accents and punctuation.
func (a *fieldDecisions) lookup(text string) (document.Target, bool) {
	if t, said := a.exact[text]; said {
		return t, true
	}
	t, said := a.similar[mapping.ValueKey(text)]
	return t, said
}
