package catalog

import (
	"context"
	"fmt"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Store reads the types that organisations have declared.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	// TypeVersion returns a version of a type, the one in use if number is 0, or nil if it does not
	// exist.
	TypeVersion(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, number int) (*declared.Version, error)
	// TypesInUse returns the types that are not retired, by name.
	TypesInUse(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]declared.Version, error)
	// MayUseTable reports whether the organisation may still use the table and the tenant of a declaration.
	MayUseTable(ctx context.Context, tx pgx.Tx, organisation tenant.ID, d *declared.Declaration) (bool, error)
	// SamplesInstalled reports whether the compiled types can be used.
	SamplesInstalled(ctx context.Context, tx pgx.Tx) (bool, error)
	// TypesByTable returns the newest version of each type, retired or not, for each table that it has had.
	TypesByTable(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]declared.Version, error)
}

// maxCompiled is the maximum number of declared types that an instance remembers. Versions never
// change, so they need no expiry.
const maxCompiled = 500

// declaredTypes are the types of a store, compiled when they are first needed. A type that does not
// compile affects nobody but its own imports.
type declaredTypes struct {
	store    Store
	compile  Expressions
	mu       sync.Mutex
	compiled map[versionKey]entity.Type
	samples  samples
}

type versionKey struct {
	organisation tenant.ID
	name         string
	number       int
}

// WithDeclared returns a catalogue that also finds the types in a store.
func (c *Catalog) WithDeclared(store Store) *Catalog {
	return &Catalog{types: c.types, declared: &declaredTypes{store: store, compiled: make(map[versionKey]entity.Type)}}
}

// Expressions compiles the conditions and computed fields of a type; see package expression.
type Expressions func(*declared.Type) (entity.Expressions, error)

// WithExpressions makes a catalogue with declared types compile their expressions. Programs that only
// read types do without, because the compiler makes them larger.
func (c *Catalog) WithExpressions(compile Expressions) *Catalog {
	c.declared.compile = compile
	return c
}

// CheckDeclared reports whether a declaration fits a table, as a *problem.Error.
func (c *Catalog) CheckDeclared(d *declared.Declaration, t *pgtable.Table) error {
	_, err := c.declared.compileType(d, t)
	return err
}

// compileType compiles a declaration for a table.
func (d *declaredTypes) compileType(declaration *declared.Declaration, t *pgtable.Table) (*declared.Type, error) {
	compiled, err := declared.Compile(declaration, t)
	if err != nil || d == nil || d.compile == nil {
		return compiled, err
	}
	compiled.Declaration().Expressions, err = d.compile(compiled)
	return compiled, err
}

// Type returns a type of an organisation: a version of a declared type, the one in use if version is
// 0. tx is the caller's transaction, or nil outside of one. It returns IMPORT_TYPE_UNKNOWN,
// TYPE_NOT_INSTALLED for a compiled type that this installation leaves out, TYPE_RETIRED if version is 0 and the type is retired, TABLE_NOT_ALLOWED if version is 0 and an
// operator has revoked the grant of its table, or DECLARATION_INVALID if the declaration no longer fits its table.
func (c *Catalog) Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error) {
	if t, ok := c.ByName(name); ok {
		if err := c.CheckInstalled(ctx, tx, organisation, t.Declaration()); err != nil {
			return nil, err
		}
		return t, nil
	}
	if c.declared == nil || !declared.ValidName(name) {
		return nil, unknownType(name)
	}
	return c.declared.find(ctx, tx, versionKey{organisation, name, version})
}

// TypesOf returns the types that an organisation can import: the compiled ones, if they are installed,
// and its declared ones that compile.
func (c *Catalog) TypesOf(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]entity.Type, error) {
	if c.declared == nil {
		return c.types, nil
	}
	found, err := c.declared.store.TypesInUse(ctx, tx, organisation)
	if err != nil {
		return nil, err
	}
	var types []entity.Type
	if installed, err := c.hasSamples(ctx, tx, organisation); err != nil {
		return nil, err
	} else if installed {
		types = append(types, c.types...)
	}
	for i := range found {
		if t, err := c.declared.compiledType(organisation, &found[i]); err == nil {
			types = append(types, t)
		}
	}
	return types, nil
}

// DeclaredTypes returns the types that an organisation has ever declared, for all tables that they have
// had. It is an error if one of them does not compile.
func (c *Catalog) DeclaredTypes(ctx context.Context, tx pgx.Tx, organisation tenant.ID) (types []entity.Type, err error) {
	if c.declared == nil {
		return nil, nil
	}
	found, err := c.declared.store.TypesByTable(ctx, tx, organisation)
	if err != nil {
		return nil, err
	}
	for i := range found {
		t, err := c.declared.compiledType(organisation, &found[i])
		if err != nil {
			return nil, fmt.Errorf("compile type %s: %w", found[i].Declaration.Name, err)
		}
		types = append(types, t)
	}
	return types, nil
}

func unknownType(name string) error {
	return problem.New(problem.ImportTypeUnknown, "Unknown import type %q.", entity.Shorten(name))
}

func (d *declaredTypes) find(ctx context.Context, tx pgx.Tx, key versionKey) (entity.Type, error) {
	if t, ok := d.cached(key); ok {
		return t, nil
	}
	var v *declared.Version
	may := true
	load := func(tx pgx.Tx) (err error) {
		v, err = d.store.TypeVersion(ctx, tx, key.organisation, key.name, key.number)
		if err == nil && v != nil && key.number == 0 {
			may, err = d.store.MayUseTable(ctx, tx, key.organisation, v.Declaration)
		}
		return err
	}
	var err error
	if tx != nil {
		err = load(tx)
	} else {
		err = d.store.InOrganisation(ctx, key.organisation, load)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("find import type: %w", err)
	case v == nil:
		return nil, unknownType(key.name)
	case key.number == 0 && v.RetiredAt != nil:
		return nil, problem.New(problem.TypeRetired, "The import type %s is retired. Apply its declaration again to use it.", key.name)
	case !may:
		return nil, problem.New(problem.TableNotAllowed, "No operator grants your organisation the table of the import type %s any more.", key.name)
	}
	return d.compiledType(key.organisation, v)
}

func (d *declaredTypes) cached(key versionKey) (entity.Type, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t, ok := d.compiled[key]
	return t, ok
}

// compiledType compiles a version, unless it has been compiled before.
func (d *declaredTypes) compiledType(organisation tenant.ID, v *declared.Version) (entity.Type, error) {
	key := versionKey{organisation, v.Declaration.Name, v.Number}
	if t, ok := d.cached(key); ok {
		return t, nil
	}
	t, err := d.compileType(v.Declaration, v.Adopted)
	if err != nil {
		return nil, err
	}
	t.Declaration().Version = v.Number
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.compiled) >= maxCompiled {
		clear(d.compiled)
	}
	d.compiled[key] = t
	return t, nil
}
