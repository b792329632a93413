package erasure

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// DeclaredTypes finds the types that an organisation has ever declared.
type DeclaredTypes interface {
	DeclaredTypes(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]entity.Type, error)
}

// personalType is a declared type that may store data of persons.
type personalType interface {
	entity.CurrentType
	// Personal returns where it does so, or nil.
	Personal() *entitytable.Personal
	// IsDropped reports whether its table no longer exists, not even under another name.
	IsDropped(ctx context.Context, tx pgx.Tx) (bool, error)
}

// WithDeclared makes the service erase data in the tables of declared types as well.
func (s *Service) WithDeclared(types DeclaredTypes) *Service {
	s.declared = types
	return s
}

// tablesOf returns the tables of an organisation, those of declared types as they are now. It is the error
// TABLE_CHANGED if one no longer fits its type: data of the person could be in a column with another name.
func (s *Service) tablesOf(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (*Tables, error) {
	if s.declared == nil {
		return s.tables, nil
	}
	types, err := s.declared.DeclaredTypes(ctx, tx, organisation)
	if err != nil {
		return nil, fmt.Errorf("find declared types with personal data: %w", err)
	}
	tables := *s.tables
	for _, t := range types {
		p, ok := t.(personalType)
		if !ok || p.Personal() == nil {
			continue
		}
		if dropped, err := p.IsDropped(ctx, tx); err != nil || dropped {
			if err != nil {
				return nil, err
			}
			tables.addDeclared(p.Personal()) // its changes are erased
			continue
		}
		current, _, err := p.Current(ctx, tx)
		if err != nil {
			return nil, err
		}
		if now, ok := current.(personalType); ok && now.Personal() != nil {
			tables.addDeclared(now.Personal())
		}
	}
	return &tables, nil
}

// addDeclared adds a table, or what another type says about it.
func (t *Tables) addDeclared(p *entitytable.Personal) {
	at := slices.IndexFunc(t.Declared, func(d DeclaredTable) bool { return d.Name == p.Of.Name })
	if at < 0 {
		at = len(t.Declared)
		t.Declared = append(t.Declared, DeclaredTable{Table{Name: p.Of.Name}, &entitytable.Personal{Of: p.Of}})
	}
	d := &t.Declared[at]
	for _, key := range p.Keys {
		if !slices.Contains(d.Keys, key) {
			d.Keys = append(d.Keys, key)
		}
	}
	for _, c := range p.Columns {
		if slices.ContainsFunc(d.Columns, func(known entitytable.PersonalColumn) bool { return known.Name == c.Name }) {
			continue
		}
		d.Columns = append(d.Columns, c)
		if c.Distinctive {
			d.Values = append(d.Values, Column{Name: c.Name, Array: c.Array})
		}
	}
}

// declaredTable returns a declared table, or nil.
func (t *Tables) declaredTable(name string) *DeclaredTable {
	for i := range t.Declared {
		if t.Declared[i].Name == name {
			return &t.Declared[i]
		}
	}
	return nil
}

// keyHolder returns the id of an erasure of somebody who is not in entity.PersonTable: rows of declared
// tables have the key. It is negative, unlike those of persons.
func keyHolder(key string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(Normalise(key))) // never fails
	return -int64(h.Sum64()>>1) - 1
}
