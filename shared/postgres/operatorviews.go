package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/operations"
)

// openImport is the condition of imports that have not ended, as in their index.
const openImport = `status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED')`

// stuckImport returns why an import is stuck; $1 is the time without progress in seconds after
// which it is, $2 the maximum time it may wait for a person or a file.
const stuckImport = `CASE
	WHEN status IN ('COMPLETED', 'FAILED', 'CANCELLED') THEN ''
	WHEN (status IN ('COLUMN_MAPPING', 'CELL_MAPPING', 'AWAITING_APPROVAL') AND NOT callback_pending
			OR status = 'UPLOADED' AND uploaded_at IS NULL AND purpose <> 'UNDO' AND NOT EXISTS (SELECT FROM import_sources AS s WHERE s.job_id = import_jobs.id))
		THEN CASE WHEN updated_at < now() - make_interval(secs => $2) THEN 'OVERDUE' ELSE '' END
	WHEN updated_at < now() - make_interval(secs => $1) THEN 'NO_PROGRESS'
	ELSE '' END`

const operatorImportColumns = `
	id, uuid::text, organisation_id, import_type, purpose, status, created_at, updated_at, completed_at, total_rows,
	created_count + updated_count + unchanged_count + skipped_count + error_count, error_count, chunks_done, chunk_total, split_complete,
	status = 'UPLOADED' AND uploaded_at IS NULL AND EXISTS (SELECT FROM import_sources AS s WHERE s.job_id = import_jobs.id),
	coalesce(failure_code, ''), ` + stuckImport + `, ` + openImport + ` AND updated_at < now() - make_interval(secs => $1), '' AS execution`

// OperatorImports lists imports of all organisations, and their total number.
func (*DB) OperatorImports(ctx context.Context, tx pgx.Tx, f operations.ImportFilter) ([]operations.Import, int64, error) {
	c := &conditions{args: []any{f.StuckAfter.Seconds(), operations.WaitLimit.Seconds()}}
	if f.Organisation != 0 {
		c.add(`organisation_id = $%d`, f.Organisation)
	}
	if f.ImportType != "" {
		c.add(`import_type = $%d`, f.ImportType)
	}
	if len(f.Statuses) > 0 {
		c.add(`status = ANY ($%d)`, statusTexts(f.Statuses))
	}
	if f.Stuck {
		c.texts = append(c.texts, openImport, stuckImport+` <> ''`)
	}
	// The count has the same arguments as the list, whether it needs them or not.
	count := `SELECT count(*) FILTER (WHERE $1::float8 + $2::float8 > 0) FROM import_jobs ` + c.where()
	order := operatorImportOrder(f.OldestFirst)
	return queryPage[operations.Import](ctx, tx, "imports", count, c, order, f.Page, func() string {
		return `SELECT ` + operatorImportColumns + ` FROM import_jobs ` + c.where() + order.clause() + c.page(f.Page)
	})
}

func operatorImportOrder(oldestFirst bool) listOrder {
	if oldestFirst {
		return listOrder{timeKey("updated_at"), intKey("id")}
	}
	return listOrder{intKey("id").desc()}
}

// OperatorImportCursor returns the keys of an import in the list of all organisations.
func OperatorImportCursor(i *operations.Import, oldestFirst bool) []string {
	if oldestFirst {
		return []string{timeCursor(i.UpdatedAt), intCursor(i.Key)}
	}
	return []string{intCursor(i.Key)}
}

// OperatorImport returns one import, or NOT_FOUND.
func (*DB) OperatorImport(ctx context.Context, tx pgx.Tx, id job.ID, still time.Duration) (*operations.Import, error) {
	rows, err := tx.Query(ctx, `SELECT `+operatorImportColumns+` FROM import_jobs WHERE uuid = nullif($3, '')::uuid`, still.Seconds(), operations.WaitLimit.Seconds(), string(id))
	if err != nil {
		return nil, fmt.Errorf("load import %s for operator: %w", id, err)
	}
	i, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[operations.Import])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, operations.ImportNotFound()
	}
	if err != nil {
		return nil, fmt.Errorf("load import %s for operator: %w", id, err)
	}
	return i, nil
}

// stuckExport is the condition of stuck exports: those not started for $1 seconds, regardless
// of requeues, and those that were started but have a dead writer.
const stuckExport = `
	(status = 'pending' AND created_at < now() - make_interval(secs => $1) OR status = 'processing' AND touched_at < now() - ` + exportRunTime + `)`

const selectOperatorExports = `
	SELECT uuid::text, organisation_id, import_type, format, status, record_count, created_at, touched_at, completed_at, requeues,
		coalesce(failure_code, ''), CASE WHEN ` + stuckExport + ` THEN 'NO_PROGRESS' ELSE '' END
	FROM export_jobs `

// OperatorExports lists exports of all organisations, the newest first, and their total
// number.
func (*DB) OperatorExports(ctx context.Context, tx pgx.Tx, f operations.ExportFilter) ([]operations.Export, int64, error) {
	c := &conditions{args: []any{f.StuckAfter.Seconds()}}
	if f.Organisation != 0 {
		c.add(`organisation_id = $%d`, f.Organisation)
	}
	if len(f.Statuses) > 0 {
		texts := make([]string, len(f.Statuses))
		for i, s := range f.Statuses {
			texts[i] = string(s)
		}
		c.add(`status = ANY ($%d)`, texts)
	}
	if f.Stuck {
		c.texts = append(c.texts, stuckExport)
	}
	// The count has the same arguments as the list, whether it needs them or not.
	count := `SELECT count(*) FILTER (WHERE $1::float8 > 0) FROM export_jobs ` + c.where()
	return queryPage[operations.Export](ctx, tx, "exports", count, c, exportOrder(), f.Page, func() string {
		return selectOperatorExports + c.where() + exportOrder().clause() + c.page(f.Page)
	})
}

// OperatorExport returns one export, or NOT_FOUND.
func (*DB) OperatorExport(ctx context.Context, tx pgx.Tx, id job.ExportID, still time.Duration) (*operations.Export, error) {
	rows, err := tx.Query(ctx, selectOperatorExports+`WHERE uuid = nullif($2, '')::uuid`, still.Seconds(), string(id))
	if err != nil {
		return nil, fmt.Errorf("load export %s for operator: %w", id, err)
	}
	e, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByPos[operations.Export])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, operations.ExportNotFound()
	}
	if err != nil {
		return nil, fmt.Errorf("load export %s for operator: %w", id, err)
	}
	return e, nil
}

// OpenErasures lists the erasures of persons that have not ended, the oldest first.
func (*DB) OpenErasures(ctx context.Context, tx pgx.Tx, p job.Page) ([]operations.Erasure, int64, error) {
	c, order := &conditions{}, listOrder{timeKey("began_at"), intKey("organisation_id"), intKey("person_id")}
	return queryPage[operations.Erasure](ctx, tx, "erasures", `SELECT count(*) FROM person_erasures`, c, order, p, func() string {
		return `SELECT organisation_id, person_id, changes, began_at FROM person_erasures ` + c.where() + order.clause() + c.page(p)
	})
}

// ErasureCursor returns the keys of an erasure in the list.
func ErasureCursor(e *operations.Erasure) []string {
	return []string{timeCursor(e.BeganAt), intCursor(e.Organisation), intCursor(e.Person)}
}

// queryPage counts the rows that match the conditions, and returns a page of them. list is
// called after the count, because the page adds arguments of its own.
func queryPage[T any](ctx context.Context, tx pgx.Tx, what, count string, c *conditions, order listOrder, p job.Page, list func() string) ([]T, int64, error) {
	var total int64
	if err := tx.QueryRow(ctx, count, c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count %s: %w", what, err)
	}
	if err := c.addAfter(order, p.After); err != nil {
		return nil, 0, err
	}
	sql := list()
	rows, err := tx.Query(ctx, sql, c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", what, err)
	}
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[T])
	if err != nil {
		return nil, 0, fmt.Errorf("list %s: %w", what, err)
	}
	return found, total, nil
}
