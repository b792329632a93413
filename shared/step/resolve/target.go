package resolve

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping/document"
)

// targetResolver is what values of one field can stand for.
type targetResolver struct {
	field     *entity.Field
	settings  entity.Settings
	contextID int64
	names     map[string]string // of entities, by id; nil until they are needed
	ids       map[string]int64  // of entities, by what mappings call them
}

// preload looks up at once what mappings call entities.
func (r *targetResolver) preload(ctx context.Context, tx pgx.Tx, said []fieldDecisions) (err error) {
	if r.field.Lookup == nil {
		return nil
	}
	called := make(map[string]bool)
	for i := range said {
		for t := range said[i].targets() {
			if t.To != "" && t.ToID == "" {
				called[t.To] = true
			}
		}
	}
	if len(called) > 0 {
		r.ids, err = entity.Resolve(ctx, tx, r.field.Lookup, r.contextID, slices.Sorted(maps.Keys(called)))
	}
	return err
}

// assign makes a value stand for a target, or says why it cannot.
func (r *targetResolver) assign(ctx context.Context, tx pgx.Tx, m *job.MappedCell, t document.Target) (why string, err error) {
	status, stands := job.ManualMatched, job.MappedCell{}
	switch {
	case t.Then == document.Skip:
		status = job.Ignored
	case t.Then == document.Empty && r.field.Required:
		return "the field cannot be left empty any more", nil
	case t.Then == document.Empty:
		stands.Empty = true
	case t.Then == document.Create && (r.field.Lookup == nil || !r.field.Lookup.CanCreateIn(m.Value, r.settings)):
		return "nothing can be created of it", nil
	case t.Then == document.Create:
		stands.Create = true
	default:
		if stands, why, err = r.findTarget(ctx, tx, t); why != "" || err != nil {
			return why, err
		}
	}
	m.SetTarget(status, stands)
	m.Confirmed = true
	return "", nil
}

// findTarget looks for the word or the entity that a target names.
func (r *targetResolver) findTarget(ctx context.Context, tx pgx.Tx, t document.Target) (stands job.MappedCell, why string, err error) {
	if r.field.Lookup == nil {
		word, ok := r.field.FindWord(t.To)
		if !ok {
			return stands, fmt.Sprintf("it is to be %.60q, which the field does not take", t.To), nil
		}
		return job.MappedCell{TargetValue: word}, "", nil
	}
	id := t.ToID
	if id == "" {
		found, known := r.ids[t.To]
		if !known {
			return stands, fmt.Sprintf("it is to be %.60q, which there is not", t.To), nil
		}
		id = fmt.Sprint(found)
	}
	if r.names == nil {
		if err := r.loadNames(ctx, tx); err != nil {
			return stands, "", err
		}
	}
	name, there := r.names[id]
	if !there {
		return stands, fmt.Sprintf("it is to be %s, which there is not any more", id), nil
	}
	stands.EntityID = id
	if r.field.IsContextList() {
		stands.TargetValue = name
	}
	return stands, "", nil
}

func (r *targetResolver) loadNames(ctx context.Context, tx pgx.Tx) error {
	candidates, err := entity.Candidates(ctx, tx, r.field.Lookup, r.contextID)
	if err != nil {
		return err
	}
	r.names = make(map[string]string, len(candidates))
	for _, c := range candidates {
		r.names[fmt.Sprint(c.ID)] = c.Name
	}
	return nil
}
