package entity

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// Table writes the rows of types that consist of one table with natural keys.
//
// The table has organisation_id, source_job, source_row and source_cells in addition to the
// declared columns; migrations/0010_users.sql describes them. Rows of one file are applied as
// if they were written one after the other: a row that repeats a key loses to an earlier one
// (insert), or is applied after it (upsert), even if a later part of the file was written
// first.
type Table struct {
	Name string
	// Keys are the unique keys, of one field each, in the order in which an upsert identifies
	// entities by them.
	Keys []Key
	// Context is the column with the context's id, within which keys are unique; "" for types
	// without a context.
	Context string
	// Parents are the foreign keys, each of which is checked for all rows at once.
	Parents []Parent
	// UpdatedAtColumn is a column that an update sets to now() unless the file contains it; "" for
	// none.
	UpdatedAtColumn string
}

// Key is a unique key of a table within an organisation, or within its context.
type Key struct {
	Field string // Field.Name
	// CaseInsensitive ignores case in texts: the index is on lower().
	CaseInsensitive bool
}

// Parent is a foreign key: the field contains the id of a row of another table.
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
	if b.Mode == rowwrite.Upsert {
		return t.upsert(ctx, tx, b, rest)
	}
	return t.insert(ctx, tx, b, rest)
}

// rejectMissingParents rejects rows that refer to a missing parent and returns the indexes of the
// others.
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
			b.reject(i, rowwrite.Error{
				Field: p.Field, Code: problem.ReferenceNotFound, Value: column.Display(i),
				Message: fmt.Sprintf("This entry does not exist in %s.", p.Table),
			})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return b.accepted(), nil
}

// accepted returns the indexes of the rows that are not rejected.
func (b *Batch) accepted() []int {
	places := make([]int, 0, b.Len())
	for i := range b.Results {
		if b.Results[i].Outcome != rowwrite.Errored {
			places = append(places, i)
		}
	}
	return places
}

// subset returns the rows at places: b itself if these are all rows in order.
func (b *Batch) subset(places []int) *Batch {
	if len(places) == b.Len() && slices.IsSorted(places) {
		return b
	}
	return b.Pick(places)
}

// uniqueViolation is Postgres's code for a duplicate key.
const (
	foreignKeyViolation = "23503"
	uniqueViolation     = "23505"
)

// IsUniqueViolation reports whether a unique index was violated.
func IsUniqueViolation(err error) bool { return hasState(err, uniqueViolation) }

// IsForeignKeyViolation reports whether a foreign key was violated.
func IsForeignKeyViolation(err error) bool { return hasState(err, foreignKeyViolation) }

func hasState(err error, state string) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == state
}
