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

// targetResolver resolves the possible targets of one field's values.
type targetResolver struct {
	field     *entity.Field
	settings  entity.Settings
	contextID int64
	names     map[string]string // entity names by id; nil until needed
	ids       map[string]int64  // entity ids by their names in mappings
}

// preload looks up all entities named in mappings with one query.
func (r *targetResolver) preload(ctx context.Context, tx pgx.Tx, decisions []fieldDecisions) (err error) {
	if r.field.Lookup == nil {
		return nil
	}
	called := make(map[string]bool)
	for i := range decisions {
		for t := range decisions[i].targets() {
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

// assign sets the target of a value, or returns why it cannot.
func (r *targetResolver) assign(ctx context.Context, tx pgx.Tx, m *job.MappedCell, t document.Target) (why string, err error) {
	status, matched := job.ManualMatched, job.MappedCell{}
	switch {
	case t.Then == document.Skip:
		status = job.Ignored
	case t.Then == document.Empty && r.field.Required:
		return "the field can no longer be empty", nil
	case t.Then == document.Empty:
		matched.Empty = true
	case t.Then == document.Create && (r.field.Lookup == nil || !r.field.Lookup.CanCreateIn(m.Value, r.settings)):
		return "no entity can be created from it", nil
	case t.Then == document.Create:
		matched.Create = true
	default:
		if matched, why, err = r.findTarget(ctx, tx, t); why != "" || err != nil {
			return why, err
		}
	}
	m.SetTarget(status, matched)
	m.Confirmed = true
	return "", nil
}

// findTarget finds the word or the entity that a target names.
func (r *targetResolver) findTarget(ctx context.Context, tx pgx.Tx, t document.Target) (matched job.MappedCell, why string, err error) {
	if r.field.Lookup == nil {
		word, ok := r.field.FindWord(t.To)
		if !ok {
			return matched, fmt.Sprintf("target %.60q is not allowed in the field", t.To), nil
		}
		return job.MappedCell{TargetValue: word}, "", nil
	}
	id := t.ToID
	if id == "" {
		found, known := r.ids[t.To]
		if !known {
			return matched, fmt.Sprintf("target %.60q does not exist", t.To), nil
		}
		id = fmt.Sprint(found)
	}
	if r.names == nil {
		if err := r.loadNames(ctx, tx); err != nil {
			return matched, "", err
		}
	}
	name, there := r.names[id]
	if !there {
		return matched, fmt.Sprintf("target %s no longer exists", id), nil
	}
	matched.EntityID = id
	if r.field.IsContextList() {
		matched.TargetValue = name
	}
	return matched, "", nil
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
