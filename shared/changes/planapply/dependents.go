package planapply

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/entity"
)

// VerifyDependents returns the Verify for the changes of a plan with the result planned: it checks
// the values that the type computes from several entities, which it locks. nil for other types.
func VerifyDependents(ctx context.Context, tx pgx.Tx, kind entity.Type, parts []changeset.Part, planned json.RawMessage) (func(context.Context, pgx.Tx) (bool, error), error) {
	dependent, ok := kind.(entity.DependentType)
	if !ok {
		return nil, nil
	}
	var changed []entity.ChangedEntity
	for _, part := range parts {
		for i := range part.Changes {
			c := &part.Changes[i]
			changed = append(changed, entity.ChangedEntity{Table: c.Table, ID: c.ID, Value: c.Value})
		}
	}
	locked, err := dependent.LockDependents(ctx, tx, changed)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, tx pgx.Tx) (bool, error) { return locked.Verify(ctx, tx, planned) }, nil
}
