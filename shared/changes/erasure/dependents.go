package erasure

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// lockDependents locks the entities of others with computed values that depend on the person's, and
// returns a function that computes them again: points by the time of an erased winner would tell
// that time.
func (s *Service) lockDependents(ctx context.Context, tx pgx.Tx, of *Traces) (recompute func() error, err error) {
	var changed []entity.ChangedEntity
	tables, ids := of.Entities()
	for i, table := range tables {
		if table != identities && table != keys {
			changed = append(changed, entity.ChangedEntity{Table: table, ID: ids[i], Value: func(string) (string, bool) { return "", false }})
		}
	}
	var locked []entity.Dependents
	for _, t := range s.dependents {
		l, err := t.LockDependents(ctx, tx, changed)
		if err != nil {
			return nil, err
		}
		locked = append(locked, l)
	}
	return func() error {
		for i, l := range locked {
			if err := l.Recompute(ctx, tx, &entity.Batch{Declaration: s.dependents[i].Declaration()}); err != nil {
				return err
			}
		}
		return nil
	}, nil
}
