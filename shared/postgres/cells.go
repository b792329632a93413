package postgres

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// cellColumns are the columns that cellOf scans.
const cellColumns = `m.id, m.target_field, m.source_value, m.status, coalesce(m.target_entity_id, ''), m.row_count, coalesce(m.first_row, 0), m.confirmed, m.decided,
	m.create_new, coalesce(m.target_value, ''), m.leave_empty`

// fieldOrder is the order of values for programs.
const fieldOrder = `m.target_field, m.source_value`

func scanCell(row pgx.CollectableRow) (m job.MappedCell, err error) {
	err = row.Scan(&m.ID, &m.TargetField, &m.Value, &m.Status, &m.EntityID, &m.Rows, &m.FirstRow, &m.Confirmed, &m.Decided, &m.Create, &m.TargetValue, &m.Empty)
	return m, err
}

// CellMappings returns the value mappings of a job's file.
func (db *DB) CellMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedCell, error) {
	return db.cellMappings(ctx, tx, key, `WHERE m.job_id = $1 ORDER BY `+fieldOrder, key)
}

// CellMappingsPage returns a page of the value mappings of a job's file, and their total
// number.
func (db *DB) CellMappingsPage(ctx context.Context, tx pgx.Tx, key job.Key, p job.CellPage) (cells []job.MappedCell, total int64, err error) {
	c := &conditions{}
	c.add(`m.job_id = $%d`, key)
	if p.Unresolved {
		c.add(`m.status = $%d`, string(job.Unresolved))
	}
	if p.Text != "" {
		c.add(`strpos(lower(m.source_value), lower($%d)) > 0`, p.Text)
	}
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM import_cell_mappings AS m `+c.where(), c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count cell mappings of job %d: %w", key, err)
	}
	order := cellOrder(p.Order)
	if err := c.addAfter(order, p.After); err != nil {
		return nil, 0, err
	}
	cells, err = db.cellMappings(ctx, tx, key, c.where()+order.clause()+c.page(p.Page), c.args...)
	return cells, total, err
}

// cellOrder returns the keys of a list of values. A value of a file can be too long for a cursor: the
// order by field has its id there.
func cellOrder(o job.CellOrder) listOrder {
	rows, id := intKey("m.row_count").desc(), intKey("m.id")
	switch o {
	case job.OrderByRows:
		return listOrder{rows, id}
	case job.OrderByField:
		of := func(column string) string {
			return `(SELECT a.` + column + ` FROM import_cell_mappings AS a WHERE a.id = $%[1]d::bigint)`
		}
		field, value := intKey("m.target_field"), intKey("m.source_value")
		field.value, value.value = of("target_field"), of("source_value")
		return listOrder{field, value}
	}
	return listOrder{boolKey("(m.status = 'UNRESOLVED' OR m.decided)").desc(), rows, id}
}

// CellCursor returns the keys of a value in the list with that order.
func CellCursor(o job.CellOrder, m *job.MappedCell) []string {
	id := intCursor(m.ID)
	switch o {
	case job.OrderByRows:
		return []string{intCursor(m.Rows), id}
	case job.OrderByField:
		return []string{id, id}
	}
	return []string{strconv.FormatBool(m.Status == job.Unresolved || m.Decided), intCursor(m.Rows), id}
}

func (*DB) cellMappings(ctx context.Context, tx pgx.Tx, key job.Key, clauses string, args ...any) ([]job.MappedCell, error) {
	rows, err := tx.Query(ctx, `SELECT `+cellColumns+` FROM import_cell_mappings AS m `+clauses, args...)
	if err != nil {
		return nil, fmt.Errorf("load cell mappings of job %d: %w", key, err)
	}
	return pgx.CollectRows(rows, scanCell)
}

// CellsForDecision returns value mappings by their ids, and the unresolved ones of fields.
func (db *DB) CellsForDecision(ctx context.Context, tx pgx.Tx, key job.Key, ids []int64, fields []string) ([]job.MappedCell, error) {
	if len(fields) == 0 {
		return db.cellMappings(ctx, tx, key, `WHERE m.job_id = $1 AND m.id = ANY ($2) ORDER BY m.id`, key, ids)
	}
	return db.cellMappings(ctx, tx, key, `
		WHERE m.job_id = $1 AND (m.id = ANY ($2) OR m.target_field = ANY ($3) AND m.status = 'UNRESOLVED')
		ORDER BY m.id`, key, ids, fields)
}

// FieldsWithMappedCells returns the given fields for which the job's file has mapped values.
func (*DB) FieldsWithMappedCells(ctx context.Context, tx pgx.Tx, key job.Key, fields []string) ([]string, error) {
	rows, err := tx.Query(ctx, `
		SELECT f.field
		FROM unnest($2::text[]) AS f(field)
		WHERE EXISTS (SELECT FROM import_cell_mappings AS m WHERE m.job_id = $1 AND m.target_field = f.field)`, key, fields)
	if err != nil {
		return nil, fmt.Errorf("load fields of cell mappings of job %d: %w", key, err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// UnresolvedCells returns the number of unresolved values of a job's file by field.
func (*DB) UnresolvedCells(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.UnresolvedCells, error) {
	rows, err := tx.Query(ctx, `
		SELECT m.target_field, count(*)
		FROM import_cell_mappings AS m
		WHERE m.job_id = $1 AND m.status = 'UNRESOLVED'
		GROUP BY m.target_field
		ORDER BY m.target_field`, key)
	if err != nil {
		return nil, fmt.Errorf("load unresolved cell mappings of job %d: %w", key, err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[job.UnresolvedCells])
}

// CellMappingsOfFields returns the value mappings of some fields.
func (*DB) CellMappingsOfFields(ctx context.Context, tx pgx.Tx, key job.Key, fields []string) ([]job.MappedCell, error) {
	rows, err := tx.Query(ctx, `
		SELECT `+cellColumns+`
		FROM import_cell_mappings AS m
		WHERE m.job_id = $1 AND m.target_field = ANY ($2)`, key, fields)
	if err != nil {
		return nil, fmt.Errorf("load cell mappings of %d fields of job %d: %w", len(fields), key, err)
	}
	return pgx.CollectRows(rows, scanCell)
}

// SimilarCellMappings returns the mappings of some values, and of those that differ from them
// only in case: fields contains the field of each value. Each value is looked up separately,
// regardless of the number of values in the job's file.
func (*DB) SimilarCellMappings(ctx context.Context, tx pgx.Tx, key job.Key, fields, values []string) ([]job.MappedCell, error) {
	rows, err := tx.Query(ctx, `
		SELECT m.*
		FROM (
			SELECT DISTINCT v.field, md5(lower(v.value))::uuid AS alike
			FROM unnest($2::text[], $3::text[]) AS v(field, value)
		) AS v
		CROSS JOIN LATERAL (
			SELECT `+cellColumns+`
			FROM import_cell_mappings AS m
			WHERE m.job_id = $1 AND m.target_field = v.field AND m.alike = v.alike
			OFFSET 0 -- not a join, for which the planner may read the values of the whole file
		) AS m`, key, fields, cleanTexts(values))
	if err != nil {
		return nil, fmt.Errorf("load cell mappings of %d values of job %d: %w", len(values), key, err)
	}
	return pgx.CollectRows(rows, scanCell)
}
