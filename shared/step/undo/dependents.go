package undo

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// lockDependents locks the entities with computed values that depend on the entities of the part,
// and returns a function that computes them again: values such as points must match the other
// values, of which the undo may keep some.
func (p *part) lockDependents(ctx context.Context, tx pgx.Tx) (recompute func() error, err error) {
	if p.dependent == nil {
		return func() error { return nil }, nil
	}
	var changed []entity.ChangedEntity
	for _, l := range p.reversals {
		if !l.change.IsInternal() {
			changed = append(changed, entity.ChangedEntity{Table: l.change.Table, ID: l.change.ID, Value: l.change.Value})
		}
	}
	locked, err := p.dependent.LockDependents(ctx, tx, changed)
	if err != nil {
		return nil, err
	}
	return func() error {
		return locked.Recompute(ctx, tx, &entity.Batch{Declaration: p.kind, Organisation: p.job.OrganisationID, JobKey: int64(p.job.Key)})
	}, nil
}

// isComputed reports whether a column is computed from other entities. A computed value that
// another import has computed again is no reason to keep anything.
func (p *part) isComputed(table, column string) bool {
	return p.hasComputed(table) && slices.Contains(p.dependent.ComputedColumns(), column)
}

// hasComputed reports whether a table has computed columns.
func (p *part) hasComputed(table string) bool {
	return p.dependent != nil && p.kind.Export != nil && table == p.kind.Export.Table
}
