package entity

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"
)

// DependentType types compute values of an entity, such as points, from other entities. Plans and
// undos, which write entities without the type, check or recompute these values.
type DependentType interface {
	Type
	// ComputedColumns returns the computed columns.
	ComputedColumns() []string
	// LockDependents locks and loads all entities whose computed values depend on the changed ones.
	// It must be called before the changes are written.
	LockDependents(ctx context.Context, tx pgx.Tx, changed []ChangedEntity) (Dependents, error)
}

// ChangedEntity is an entity that is about to be created, updated or deleted. Value returns a
// column's value as text, and false if it is unknown.
type ChangedEntity struct {
	Table, ID string
	Value     func(column string) (string, bool)
}

// Dependents are locked entities with computed values.
type Dependents interface {
	// Verify reports whether the computed values are those of the current entities, and whether the
	// entities are those of a plan with the result planned.
	Verify(ctx context.Context, tx pgx.Tx, planned json.RawMessage) (bool, error)
	// Recompute computes all values again. b is a batch without rows, of the job that changed the
	// entities; without a job, the entities remain those of the jobs that wrote them.
	Recompute(ctx context.Context, tx pgx.Tx, b *Batch) error
}
