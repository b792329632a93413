package declared

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/problem"
)

// Enter prepares a transaction for statements about the table: their waits for locks of its owner are
// limited, its policies find the settings of the tenant, and deferrable constraints refuse the statement
// that violates them. At the end of the transaction, nobody would know which row does.
func (t *Type) Enter(ctx context.Context, tx pgx.Tx) error {
	batch := &pgx.Batch{}
	entity.QueueSession(batch, t.settings())
	batch.Queue("SET CONSTRAINTS ALL IMMEDIATE")
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("prepare transaction for %s: %w", t.name, err)
	}
	return nil
}

func (t *Type) settings() []entity.SessionSetting {
	return append([]entity.SessionSetting{{Name: lockTimeout, Value: pgtable.LockTimeout}}, t.declaration.Tenant.settings()...)
}

const lockTimeout = "lock_timeout"

// EnterSession makes the settings of a declaration's tenant, for a table without a type.
func (t *Tenant) EnterSession(ctx context.Context, tx pgx.Tx) error {
	return entity.SetSession(ctx, tx, t.settings())
}

func (t *Tenant) settings() (settings []entity.SessionSetting) {
	for _, name := range slices.Sorted(maps.Keys(t.Session)) {
		value := t.Session[name]
		settings = append(settings, entity.SessionSetting{Name: name, Value: value, Organisation: value == ofOrganisation})
	}
	return settings
}

// RestrictsRows reports whether a declaration restricts a table to the rows of the organisation: by a
// column, or by settings with the organisation's id that all policies of the table read.
func RestrictsRows(d *Declaration, t *pgtable.Table) bool {
	for _, value := range d.Tenant.Session {
		if value != ofOrganisation {
			return false // the policies of this table, or of one that it refers to, could show rows of others
		}
	}
	switch {
	case d.Tenant.Column != "" && d.Tenant.Value == ofOrganisation:
		return true
	case len(d.Tenant.Session) == 0 || !t.RowSecurity:
		return false
	}
	return !slices.ContainsFunc(t.Policies, func(p pgtable.Policy) bool {
		return p.Permissive && !slices.ContainsFunc(p.Settings(), func(name string) bool { return d.Tenant.Session[name] != "" })
	})
}

// RestrictedByPolicies reports whether the policies of a table read the settings of a declaration's tenant,
// if it has settings, each with the organisation's id, and no column. An operator has decided on all other
// tenants.
func RestrictedByPolicies(d *Declaration, t *pgtable.Table) bool {
	own := len(d.Tenant.Session) > 0 && d.Tenant.Column == ""
	for _, value := range d.Tenant.Session {
		own = own && value == ofOrganisation
	}
	return !own || RestrictsRows(d, t)
}

// NotRestricted is the error of a type whose table has policies that show rows of other organisations.
func NotRestricted() error {
	return problem.New(problem.TableNotAllowed, "A policy of the table shows rows of other organisations. Each has to read the settings of the tenant.").
		With("tenant", problem.TableNotAllowed, "Settings that all permissive policies of the table read.")
}
