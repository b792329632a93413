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

// reach is what values of one field can stand for.
type reach struct {
	field     *entity.Field
	settings  entity.Settings
	contextID int64
	names     map[string]string // of entities, by id; nil until they are needed
	ids       map[string]int64  // of entities, by what mappings call them
}

// know looks up at once what mappings call entities.
func (r *reach) know(ctx context.Context, tx pgx.Tx, said []answers) (err error) {
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

// take makes a value stand for a target, or says why it cannot.
func (r *reach) take(ctx context.Context, tx pgx.Tx, m *job.MappedCell, t document.Target) (why string, err error) {
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
		if stands, why, err = r.find(ctx, tx, t); why != "" || err != nil {
			return why, err
		}
	}
	m.StandsFor(status, stands)
	m.Confirmed = true
	return "", nil
}

// find looks for the word or the entity that a target names.
func (r *reach) find(ctx context.Context, tx pgx.Tx, t document.Target) (stands job.MappedCell, why string, err error) {
	if r.field.Lookup == nil {
		word, ok := r.field.Word(t.To)
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
		if err := r.list(ctx, tx); err != nil {
			return stands, "", err
		}
	}
	name, there := r.names[id]
	if !there {
		return stands, fmt.Sprintf("it is to be %s, which there is not any more", id), nil
	}
	stands.EntityID = id
	if r.field.Listed() {
		stands.TargetValue = name
	}
	return stands, "", nil
}

func (r *reach) list(ctx context.Context, tx pgx.Tx) error {
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
