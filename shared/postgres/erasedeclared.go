package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxRowsOfPerson is the largest number of rows of one declared table that an erasure empties.
const maxRowsOfPerson = 10_000

// addDeclaredTraces adds the rows of a declared table that have a key of the person.
func addDeclaredTraces(ctx context.Context, tx pgx.Tx, table *erasure.DeclaredTable, t *erasure.Traces) error {
	exists, err := tableExists(ctx, tx, table.Of)
	if err != nil || !exists {
		return err
	}
	has := make([]string, len(table.Keys))
	for i, column := range table.Keys {
		has[i] = normalised("btrim(e."+entitytable.Quote(column)+"::text)") + " = ANY ($1)"
	}
	if len(has) == 0 {
		return nil
	}
	rows, err := tx.Query(ctx, fmt.Sprintf(`
		SELECT %s, %s
		FROM %s AS e
		WHERE %s AND (%s)
		LIMIT %d`, table.Of.IDText("e"), valuesOf(&table.Table), table.Of.SQL(), table.Of.Within("e"), strings.Join(has, " OR "), maxRowsOfPerson+1), t.Keys())
	if err != nil {
		return refusedByTable(table, "read", err)
	}
	var id string
	var values []*string
	n := 0
	_, err = pgx.ForEachRow(rows, []any{&id, &values}, func() error {
		n++
		t.Add(table.Name, id)
		for _, v := range values {
			if v != nil {
				t.AddValue(*v)
			}
		}
		return nil
	})
	if err != nil {
		return refusedByTable(table, "read", err)
	}
	if n > maxRowsOfPerson {
		return problem.New(problem.StateConflict, "More than %d rows of %s have this key. Erase them in the table, then repeat the request.", maxRowsOfPerson, table.Name)
	}
	return nil
}

// emptyRows replaces the personal values of rows of a declared table.
func emptyRows(ctx context.Context, tx pgx.Tx, table *erasure.DeclaredTable, ids []string) error {
	exists, err := tableExists(ctx, tx, table.Of)
	if err != nil || !exists || len(ids) == 0 {
		return err
	}
	v, err := table.Of.IDArrays(0, ids)
	if err != nil {
		return err
	}
	var set, kept []string
	for _, c := range table.Columns {
		name := entitytable.Quote(c.Name)
		switch {
		case c.Erased != "":
			set = append(set, name+" = "+c.Erased)
		case c.Distinctive:
			kept = append(kept, c.Name)
		}
	}
	where := fmt.Sprintf("%s AND EXISTS (SELECT FROM %s WHERE %s)", table.Of.Within("e"), fromIDs(v), table.Of.HasID("e", "v"))
	var rows, emptied int64
	if err := tx.QueryRow(ctx, fmt.Sprintf(`SELECT count(*) FROM %s AS e WHERE %s`, table.Of.SQL(), where), v.Args...).Scan(&rows); err != nil {
		return refusedByTable(table, "read", err)
	}
	switch {
	case rows == 0:
		return nil
	case len(kept) > 0:
		return problem.New(problem.StateConflict, "Loadbay cannot empty %s of %s. Erase the person in the table, then repeat the request.", strings.Join(kept, ", "), table.Name)
	case len(set) == 0:
		return nil
	}
	tag, err := tx.Exec(ctx, fmt.Sprintf(`UPDATE %s AS e SET %s WHERE %s`, table.Of.SQL(), strings.Join(set, ", "), where), v.Args...)
	if err != nil {
		return refusedByTable(table, "change", err)
	}
	if emptied = tag.RowsAffected(); emptied < rows {
		return problem.New(problem.StateConflict, "A trigger or a policy of %s keeps the person's rows. Erase the person in the table, then repeat the request.", table.Name)
	}
	return nil
}

// refusedByTable returns an error for people if the database refuses a statement about a declared table.
func refusedByTable(table *erasure.DeclaredTable, verb string, err error) error {
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || isTransient(refused) {
		return fmt.Errorf("erase in %s: %w", table.Name, err)
	}
	return problem.New(problem.StateConflict, // without the cause, which may contain values
		"Loadbay cannot %s the person's rows of %s (%s). Erase the person in the table or apply the type's declaration again, then repeat the request.", verb, table.Name, refused.Code)
}

// isTransient reports whether a statement may succeed when it is repeated.
func isTransient(e *pgconn.PgError) bool {
	return strings.HasPrefix(e.Code, "40") || strings.HasPrefix(e.Code, "53") || strings.HasPrefix(e.Code, "55") || strings.HasPrefix(e.Code, "57") || strings.HasPrefix(e.Code, "08")
}
