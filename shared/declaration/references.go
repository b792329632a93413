package declaration

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/problem"
)

// checkReferences refuses foreign keys by which a file could refer to rows of another organisation:
// foreign keys look at neither tenants nor policies, so the look-up has to.
func (s *Service) checkReferences(ctx context.Context, tx pgx.Tx, by Caller, d *declared.Declaration, t *pgtable.Table) error {
	tenant := d.Tenant.Column
	if tenant == "" && len(d.Tenant.Session) == 0 {
		return nil
	}
	found := problem.New(problem.DeclarationInvalid, "Files of the type %s could refer to rows of other organisations.", d.Name)
	for i := range d.Fields {
		f := &d.Fields[i]
		if f.Reference != nil && (f.Reference.Within != "" || tenant == "") {
			continue // without a column, the policies of the other table restrict the look-up
		}
		for _, k := range t.ForeignKeys {
			if !slices.Contains(k.From, f.Column) || tenant != "" && slices.Contains(k.From, tenant) {
				continue
			}
			other, err := readReferred(ctx, tx, &k)
			if err != nil {
				return err
			}
			switch {
			case other == nil: // it is not visible
			case tenant == "" && other.RowSecurity:
				found = found.With(fmt.Sprintf("fields[%d]", i), problem.DeclarationInvalid,
					fmt.Sprintf("%s.%s has rows of several organisations. Add reference: {table: %s.%s, by: [[…]]}.", k.Schema, k.Table, k.Schema, k.Table))
			case tenant != "" && other.Column(tenant) != nil:
				found = found.With(fmt.Sprintf("fields[%d]", i), problem.DeclarationInvalid,
					fmt.Sprintf("%s.%s has rows of several organisations. Add reference: {table: %s.%s, by: [[…]], within: %s}.", k.Schema, k.Table, k.Schema, k.Table, tenant))
			}
		}
	}
	if len(found.Fields) == 0 {
		return nil
	}
	if may, err := s.store.MayUseWholeTables(ctx, tx, by.Organisation); err != nil || may {
		return err
	}
	return found
}

// readReferred reads the table that a foreign key leads to; nil if it is not visible.
func readReferred(ctx context.Context, tx pgx.Tx, k *pgtable.ForeignKey) (*pgtable.Table, error) {
	other, err := pgtable.Read(ctx, tx, k.Schema, k.Table)
	if errors.Is(err, pgtable.ErrNoTable) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read referenced table: %w", err)
	}
	return other, nil
}
