package adopt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
)

// maxCounted is the maximum number of rows that are read to find keys, and countTimeout the maximum
// time.
const (
	maxCounted   = 100_000
	countTimeout = "5s"
)

// Granted is what an operator has granted to the organisation of a caller.
type Granted struct {
	// Tenant selects the rows; a draft has it, and no other rows are read.
	Tenant declared.Tenant
	Modes  []string // of a draft; all if it is empty
	// Referable are the tenants of the tables that the draft may refer to, by schema and name.
	Referable map[[2]string]declared.Tenant
}

// Read reads what a draft needs. The error is pgtable.ErrNoTable if the table does not exist. granted is
// nil if the caller may use whole tables.
func Read(ctx context.Context, tx pgx.Tx, schema, name string, granted *Granted) (*Source, error) {
	t, err := pgtable.Read(ctx, tx, schema, name)
	if err != nil {
		return nil, err
	}
	s := &Source{Table: t, Referenced: map[[2]string]*pgtable.Table{}, Granted: granted}
	if err := tx.QueryRow(ctx, "SELECT current_user").Scan(&s.Role); err != nil {
		return nil, fmt.Errorf("read role: %w", err)
	}
	for i := range t.ForeignKeys {
		key := [2]string{t.ForeignKeys[i].Schema, t.ForeignKeys[i].Table}
		if s.Referenced[key] != nil || !s.mayRefer(key) {
			continue
		}
		if s.Referenced[key], err = pgtable.Read(ctx, tx, key[0], key[1]); err != nil {
			return nil, err
		}
	}
	if s.Functions, err = ReadFunctions(ctx, tx, t); err != nil {
		return nil, err
	}
	if s.Samples, err = sample(ctx, tx, s); err != nil {
		return nil, err
	}
	s.Counts, err = count(ctx, tx, s)
	return s, err
}

// mayRefer reports whether a draft may refer to a table.
func (s *Source) mayRefer(table [2]string) bool {
	if s.Granted == nil {
		return true
	}
	_, may := s.Granted.Referable[table]
	return may
}

// rows returns the condition that selects the rows of a table that the caller may use, with its
// arguments, and whether it may use any. Rows that only policies restrict are not read.
func (s *Source) rows() (where string, args []any, allowed bool) {
	switch {
	case s.Table.Kind != pgtable.TableKind || !s.Readable():
		return "", nil, false
	case s.Granted == nil || s.Granted.Tenant.None:
		return "", nil, true
	case s.Granted.Tenant.Column == "" || len(s.Granted.Tenant.Session) > 0 || s.Table.Column(s.Granted.Tenant.Column) == nil:
		return "", nil, false
	}
	column := sqlNames([]string{s.Granted.Tenant.Column}) + "::text"
	if s.Granted.Tenant.Value == declared.ValueOrganisation {
		return " WHERE " + column + " = current_setting('app.organisation')", nil, true
	}
	return " WHERE " + column + " = $1", []any{s.Granted.Tenant.Value}, true
}

// tenantColumn returns the column with the organisation: that of the grant, or else the one that looks
// like it; "" if there is none.
func (s *Source) tenantColumn() string {
	if s.Granted != nil {
		return s.Granted.Tenant.Column
	}
	return tenantColumn(s.Table)
}

// ReadFunctions returns the sources of the functions of a table's triggers, by Trigger.Function.
func ReadFunctions(ctx context.Context, tx pgx.Tx, t *pgtable.Table) (map[string]string, error) {
	rows, err := tx.Query(ctx, `
		SELECT DISTINCT s.nspname || '.' || p.proname, p.prosrc
		FROM pg_catalog.pg_trigger AS g
		JOIN pg_catalog.pg_proc AS p ON p.oid = g.tgfoid
		JOIN pg_catalog.pg_namespace AS s ON s.oid = p.pronamespace
		WHERE g.tgrelid = $1
		AND NOT g.tgisinternal`, t.OID)
	if err != nil {
		return nil, fmt.Errorf("read functions of triggers: %w", err)
	}
	functions := map[string]string{}
	var name, source string
	_, err = pgx.ForEachRow(rows, []any{&name, &source}, func() error {
		functions[name] = source
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read functions of triggers: %w", err)
	}
	return functions, nil
}

// count counts the candidates for keys in one pass over the rows; nil if the role may not read them
// or that takes too long.
func count(ctx context.Context, tx pgx.Tx, s *Source) ([]Count, error) {
	t := s.Table
	found := candidates(t)
	where, args, allowed := s.rows()
	if !allowed {
		return nil, nil
	}
	tenant := s.tenantColumn()
	if len(found) == 0 {
		return []Count{}, nil
	}
	counts := make([]Count, len(found))
	var rows int
	targets := []any{&rows}
	expressions := []string{"count(*)"}
	for i, columns := range found {
		counts[i].Columns = columns
		if tenant != "" && t.Column(tenant).Select {
			columns = append([]string{tenant}, columns...)
		}
		row := "(" + sqlNames(columns) + ")"
		expressions = append(expressions, "count(*) FILTER (WHERE NOT "+row+" IS NOT NULL)", "count(DISTINCT ROW"+row+")")
		targets = append(targets, &counts[i].Missing, &counts[i].Distinct)
	}
	var read []string
	for i := range t.Columns {
		if t.Columns[i].Select {
			read = append(read, t.Columns[i].Name)
		}
	}
	sql := fmt.Sprintf("SELECT %s FROM (SELECT %s FROM %s%s LIMIT %d) AS sample",
		strings.Join(expressions, ", "), sqlNames(read), pgx.Identifier{t.Schema, t.Name}.Sanitize(), where, maxCounted)
	err := Limited(ctx, tx, countTimeout, func(tx pgx.Tx) error { return tx.QueryRow(ctx, sql, args...).Scan(targets...) })
	var pg *pgconn.PgError
	switch {
	case errors.As(err, &pg): // it took too long, or a policy of the table fails
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("count candidates for keys: %w", err)
	}
	for i := range counts {
		counts[i].Rows = rows
	}
	return counts, nil
}

// Limited runs f in a savepoint that is rolled back, with a limit for the time of each statement and
// for the wait for locks.
func Limited(ctx context.Context, tx pgx.Tx, timeout string, f func(pgx.Tx) error) error {
	inner, err := tx.Begin(ctx)
	if err != nil {
		return fmt.Errorf("begin savepoint: %w", err)
	}
	_, err = inner.Exec(ctx, "SELECT set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true)", timeout, pgtable.LockTimeout)
	if err == nil {
		err = f(inner)
	}
	if rollback := inner.Rollback(ctx); rollback != nil {
		return fmt.Errorf("roll back savepoint: %w", rollback)
	}
	return err
}

// Readable reports whether the role can read a column of the table.
func (s *Source) Readable() bool {
	return s.Table.Usage && slices.ContainsFunc(s.Table.Columns, func(c pgtable.Column) bool { return c.Select })
}
