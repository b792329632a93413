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

// checkReferences refuses references to tables that cannot be used. Unless the organisation may use whole
// tables, it refuses columns with a foreign key by which a file could refer to rows of another organisation:
// foreign keys look at neither tenants nor policies, so a reference has to. The operator's grants restrict
// references.
func (s *Service) checkReferences(ctx context.Context, tx pgx.Tx, whole bool, d *declared.Declaration, t *pgtable.Table) error {
	if err := readReferences(ctx, tx, d); err != nil {
		return err
	}
	tenant := d.Tenant.Column
	if whole || tenant == "" && len(d.Tenant.Session) == 0 {
		return nil
	}
	found := problem.New(problem.DeclarationInvalid, "Files of the type %s could refer to rows of other organisations.", d.Name)
	for i := range d.Fields {
		f := &d.Fields[i]
		if f.Reference != nil {
			continue
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
	return found
}

// readReferences refuses references to tables or columns that do not exist.
func readReferences(ctx context.Context, tx pgx.Tx, d *declared.Declaration) error {
	wrong := problem.New(problem.DeclarationInvalid, "References of the type %s do not fit the database.", d.Name)
	for i := range d.Fields {
		r := d.Fields[i].Reference
		if r == nil {
			continue
		}
		refuse := func(format string, args ...any) {
			wrong = wrong.With(fmt.Sprintf("fields[%d].reference", i), problem.DeclarationInvalid, fmt.Sprintf(format, args...))
		}
		schema, name, _ := declared.SplitTable(r.Table)
		if pgtable.IsReserved(schema) {
			refuse("Rows of schema %s cannot be referred to. Use a table of your own.", schema)
			continue
		}
		other, err := readReferred(ctx, tx, &pgtable.ForeignKey{Schema: schema, Table: name})
		if err != nil {
			return err
		}
		if other == nil {
			refuse("The table %s does not exist. Write schema.table as in the catalogue.", r.Table)
			continue
		}
		for _, column := range slices.Concat(slices.Concat(r.By...), []string{r.Column, r.Within}) {
			if column != "" && other.Column(column) == nil {
				refuse("The table %s has no column %s.", r.Table, column)
			}
		}
	}
	if len(wrong.Fields) > 0 {
		return wrong
	}
	return nil
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
