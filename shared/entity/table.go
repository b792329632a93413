package entity

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/problem"
)

// Table writes the rows of types that are one table with natural keys.
//
// The table has organisation_id, source_job, source_row and source_cells besides
// the declared columns; migrations/0010_users.sql says what these hold. Rows of one
// file are applied as if one after the other: a row that repeats a key loses against
// an earlier one (insert), or is applied after it (upsert), also when a later part of
// the file was written first.
type Table struct {
	Name string
	// Keys are the unique keys, each one field, in the order in which an upsert
	// recognises entities by them.
	Keys []Key
	// Context is the column that holds the context's id, within which keys are unique;
	// "" for types without one.
	Context string
	// Parents are the foreign keys that are checked for all rows at once.
	Parents []Parent
	// Touched is a column that an update sets to now() unless the file gives it; "" for none.
	UpdatedAtColumn string
}

// Key is a unique key of a table within an organisation, or within its context.
type Key struct {
	Field string // Field.Name
	// CaseInsensitive makes texts that differ in case only the same: the index is one of lower().
	CaseInsensitive bool
}

// Parent is a foreign key: the field holds the id of a row of another table.
type Parent struct {
	Field, Table string
}

// Write writes the batch in its mode.
func (t *Table) Write(ctx context.Context, tx pgx.Tx, b *Batch) error {
	b.Results, b.Displaced = make([]Result, b.Len()), nil
	rest, err := t.rejectMissingParents(ctx, tx, b)
	if err != nil || len(rest) == 0 {
		return err
	}
	if b.Mode == Upsert {
		return t.upsert(ctx, tx, b, rest)
	}
	return t.insert(ctx, tx, b, rest)
}

// rejectMissingParents rejects rows whose parent is missing and returns the places of
// the others.
func (t *Table) rejectMissingParents(ctx context.Context, tx pgx.Tx, b *Batch) ([]int, error) {
	for _, p := range t.Parents {
		column := &b.Columns[b.Declaration.FieldIndex(p.Field)]
		sql := fmt.Sprintf(`
			SELECT v.place
			FROM unnest($1::%s) WITH ORDINALITY AS v(id, place)
			LEFT JOIN LATERAL (
				SELECT true AS found FROM %s AS p WHERE p.organisation_id = $2 AND p.id = v.id LIMIT 1
			) AS p ON true
			WHERE v.id IS NOT NULL AND p.found IS NULL`,
			column.kind.ArrayType(), p.Table)
		_, err := Query(ctx, tx, sql, []Param{ArrayParam(column), Int64Param(b.Organisation)}, func(v [][]byte) error {
			i := int(Int64(v[0]) - 1)
			b.reject(i, RowError{
				Field: p.Field, Code: problem.ReferenceNotFound, Value: column.display(i),
				Message: fmt.Sprintf("There is no such entry in %s.", p.Table),
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return b.accepted(), nil
}

// accepted returns the places of the rows that are not rejected.
func (b *Batch) accepted() []int {
	places := make([]int, 0, b.Len())
	for i := range b.Results {
		if b.Results[i].Outcome != Rejected {
			places = append(places, i)
		}
	}
	return places
}

// subset returns the rows at those places: b itself where they are all rows in
// their order.
func (b *Batch) subset(places []int) *Batch {
	if len(places) == b.Len() && slices.IsSorted(places) {
		return b
	}
	return b.Pick(places)
}

// uniqueViolation is Postgres's code for a key that is taken.
const uniqueViolation = "23505"

// isUniqueViolation reports whether a unique index was violated.
func isUniqueViolation(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == uniqueViolation
}
