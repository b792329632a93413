package declared

import (
	"cmp"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// SQLSTATE codes. https://www.postgresql.org/docs/current/errcodes-appendix.html
const (
	tooLong             = "22001"
	outOfRange          = "22003"
	notNullViolation    = "23502"
	foreignKeyViolation = "23503"
	uniqueViolation     = "23505"
	checkViolation      = "23514"
	exclusionViolation  = "23P01"
	policyViolation     = "42501" // or a missing privilege
	raisedException     = "P0001"

	checkOptionViolation = "44000"
)

// explain returns the error of the only row of a batch, which the database has refused.
func (t *Type) explain(b *entity.Batch, refused *pgconn.PgError) rowwrite.Error {
	columns := t.columnsOf(refused)
	e := t.describe(b, 0, refused.ConstraintName, columns, "The database refused this row ("+refused.Code+"). Compare its values with the columns of the table.")
	switch refused.Code {
	case notNullViolation:
		e.Code, e.Message = problem.CellRequired, "The table requires a value in column "+refused.ColumnName+"."
	case foreignKeyViolation:
		e.Code, e.Message = problem.ReferenceNotFound, t.sentence(refused, "No row has the value to which this one refers.")
	case uniqueViolation:
		e.Code, e.Message = problem.AlreadyExists, t.sentence(refused, "Another entry already has this value.")
	case exclusionViolation:
		e.Code, e.Message = problem.AlreadyExists, t.sentence(refused, "The row overlaps with another entry.")
	case checkViolation:
		if refused.ConstraintName != "" {
			e.Message = t.sentence(refused, "The table's rule "+refused.ConstraintName+" does not allow this row. Correct it, or ask the table's owner about the rule.")
		}
	case tooLong:
		e.Code, e.Message = problem.CellTooLong, "A text is too long for its column."
	case outOfRange:
		e.Code, e.Message = problem.CellTooLarge, "A number is too large for its column."
	case checkOptionViolation:
		e.Message = "A policy of the table does not allow this row. Ask the table's owner which rows it accepts."
	case raisedException:
		e.Message = "A trigger of the table refused this row: " + entity.Shorten(refused.Message)
	}
	return e
}

// sentence returns the declaration's sentence about a constraint, or the other one.
func (t *Type) sentence(refused *pgconn.PgError, otherwise string) string {
	return cmp.Or(t.declaration.Messages[refused.ConstraintName], otherwise)
}

// describe returns an error about columns of row i.
func (t *Type) describe(b *entity.Batch, i int, constraint string, columns []string, otherwise string) rowwrite.Error {
	e := rowwrite.Error{Code: problem.RowRejected, Message: cmp.Or(t.declaration.Messages[constraint], otherwise)}
	for at := range t.fields {
		if slices.Contains(columns, t.fields[at].Name) {
			e.Field = t.fields[at].declared.Name
			if b.Mapped[at] {
				e.Value = b.Columns[at].Display(i)
				break
			}
		}
	}
	return e
}

// columnsOf returns the columns that an error concerns.
func (t *Type) columnsOf(refused *pgconn.PgError) (columns []string) {
	if refused.ColumnName != "" {
		return []string{refused.ColumnName}
	}
	if refused.SchemaName != t.table.Schema || refused.TableName != t.table.Name {
		return nil // of another table, which a trigger has written
	}
	name := refused.ConstraintName
	for _, k := range t.table.Checks {
		if k.Name == name {
			return k.Columns
		}
	}
	for _, k := range t.table.ForeignKeys {
		if k.Name == name {
			return k.From
		}
	}
	if x := t.table.Index(name); x != nil {
		for _, part := range x.Columns {
			columns = append(append(columns, part.Uses...), part.Column)
		}
	}
	return columns
}
