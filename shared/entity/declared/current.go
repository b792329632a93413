package declared

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/problem"
)

// comparison is the result of comparing the table with the adopted one.
type comparison struct {
	stamp    string // of the catalogue at that time
	kind     *Type  // for the table as it is; nil with err
	warnings []string
	err      error
}

// Current returns the type for the table as it is now, with warnings about its changes, or the error
// TABLE_CHANGED if the declaration does not allow them. The same table gives the same *Type.
//
// The catalogue is read in full only if its stamp is not that of the last comparison.
func (t *Type) Current(ctx context.Context, tx pgx.Tx) (entity.Type, []string, error) {
	// Not in the batch of the stamp: its statements are prepared first, which locks the table.
	if err := t.Enter(ctx, tx); err != nil {
		return nil, nil, err
	}
	stamp, err := pgtable.Stamp(ctx, tx, t.table.Schema, t.table.Name)
	switch {
	case errors.Is(err, pgtable.ErrNoTable):
		return nil, nil, t.changed("it was removed or renamed")
	case errors.Is(err, pgtable.ErrNoPrivilege):
		return nil, nil, problem.New(problem.TableChanged, "Loadbay may not read the table %s any more. Run loadbay types check %s, which prints the SQL that grants it.", t.stored.Name, t.entity.Name)
	case err != nil:
		return nil, nil, err
	}
	known := t.compared.Load()
	if known == nil || known.stamp != stamp {
		now, err := pgtable.Read(ctx, tx, t.table.Schema, t.table.Name)
		if err != nil {
			return nil, nil, fmt.Errorf("compare with adopted table: %w", err)
		}
		known = t.compare(now)
		known.stamp = stamp
		t.compared.Store(known)
	}
	if known.err != nil {
		return nil, nil, known.err
	}
	return known.kind, known.warnings, nil
}

// compare decides whether imports can continue with a table.
func (t *Type) compare(now *pgtable.Table) *comparison {
	c := &comparison{kind: t}
	var held []string
	drifts := Drifts(t.declaration, t.table, now)
	for i := range drifts {
		switch d := &drifts[i]; d.Reaction {
		case Hold:
			held = append(held, clause(d.Message))
		case Tell:
			c.warnings = append(c.warnings, fmt.Sprintf("%s: the table has changed: %s", problem.TableChanged, clause(d.Message)))
		case Ignore:
		}
	}
	if len(held) > 0 {
		return &comparison{err: t.changed(held...)}
	}
	// Columns may be missing, and privileges, which are no drift.
	kind, err := Compile(t.declaration, now)
	if err != nil {
		for _, f := range problem.From(err).Fields {
			held = append(held, clause(f.Message))
		}
		return &comparison{err: t.changed(held...)}
	}
	for i := range kind.fields {
		if kind.fields[i].kind != t.fields[i].kind { // rows have been decoded as before
			held = append(held, fmt.Sprintf("column %q has another type", kind.fields[i].Name))
		}
	}
	switch {
	case len(held) > 0:
		return &comparison{err: t.changed(held...)}
	case len(drifts) > 0:
		kind.entity.Version = t.entity.Version
		c.kind = kind
	}
	return c
}

// maxListed is the maximum number of changes in a message.
const maxListed = 3

// changed returns the error for changes that the declaration does not allow.
func (t *Type) changed(changes ...string) error {
	listed := slices.Clone(changes[:min(len(changes), maxListed)])
	if more := len(changes) - len(listed); more > 0 {
		listed = append(listed, fmt.Sprintf("%d more changes", more))
	}
	return problem.New(problem.TableChanged, "Table %s has changed since the type was applied: %s. Restore the table, or apply the declaration again, and start again.", t.stored.Name, strings.Join(listed, "; "))
}

// clause returns the first of some sentences, which begins with an ASCII letter, as a part of another
// one.
func clause(sentence string) string {
	sentence, _, _ = strings.Cut(strings.TrimSuffix(sentence, "."), ". ")
	return strings.ToLower(sentence[:1]) + sentence[1:]
}

// IsDropped reports whether the table no longer exists, not even under another name.
func (t *Type) IsDropped(ctx context.Context, tx pgx.Tx) (dropped bool, err error) {
	err = tx.QueryRow(ctx, `
		SELECT NOT EXISTS (SELECT FROM pg_catalog.pg_class WHERE oid = $3::oid)
			AND NOT EXISTS (
				SELECT
				FROM pg_catalog.pg_namespace AS s
				JOIN pg_catalog.pg_class AS c ON c.relnamespace = s.oid
				WHERE s.nspname = $1 AND c.relname = $2
			)`, t.table.Schema, t.table.Name, t.table.OID).Scan(&dropped)
	if err != nil {
		return false, fmt.Errorf("look for table %s: %w", t.name, err)
	}
	return dropped, nil
}
