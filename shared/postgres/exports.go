package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// exportColumns are the columns of exportRow.
const exportColumns = `
	uuid::text AS uuid, organisation_id, import_type, coalesce(type_version, 0) AS type_version, format, fields, filters, annotates::text AS annotates, status, record_count, size_bytes, object_key,
	request_id, failure_code, failure_message, created_at, started_at, completed_at`

// exportRow is a row of export_jobs.
type exportRow struct {
	UUID           job.ExportID
	OrganisationID tenant.ID
	ImportType     string
	TypeVersion    int
	Format         string
	Fields         []string
	Filters        []byte
	Annotates      *job.ID
	Status         job.ExportStatus
	RecordCount    int64
	SizeBytes      int64
	ObjectKey      string
	RequestID      string
	FailureCode    *string
	FailureMessage *string
	CreatedAt      time.Time
	StartedAt      *time.Time
	CompletedAt    *time.Time
}

func (r *exportRow) export() *job.Export {
	e := &job.Export{
		ID: r.UUID, OrganisationID: r.OrganisationID, ImportType: r.ImportType, TypeVersion: r.TypeVersion, Format: r.Format, Fields: r.Fields,
		Filters: json.RawMessage(r.Filters), Status: r.Status, Records: r.RecordCount, SizeBytes: r.SizeBytes, ObjectKey: r.ObjectKey,
		RequestID: r.RequestID, CreatedAt: r.CreatedAt, StartedAt: r.StartedAt, CompletedAt: r.CompletedAt,
	}
	if r.Annotates != nil {
		e.Annotates = *r.Annotates
	}
	if r.FailureCode != nil && r.FailureMessage != nil {
		e.Failure = &job.Failure{Code: *r.FailureCode, Message: *r.FailureMessage}
	}
	return e
}

// CreateExport adds an export, or returns the existing one with its id. ORG_INACTIVE, or
// ORG_REQUIRED, if the organisation accepts no exports.
func (db *DB) CreateExport(ctx context.Context, tx pgx.Tx, e *job.Export) (*job.Export, error) {
	if refused := db.checkActive(ctx, tx, e.OrganisationID); refused != nil {
		if kept, err := db.Export(ctx, tx, e.ID); err == nil {
			return kept, nil
		}
		return nil, refused
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO export_jobs (uuid, organisation_id, import_type, format, fields, filters, object_key, request_id, annotates, type_version)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, '')::uuid, nullif($10, 0))
		ON CONFLICT (uuid) DO NOTHING`,
		e.ID, e.OrganisationID, e.ImportType, e.Format, orEmpty(e.Fields), []byte(e.Filters), e.ObjectKey, e.RequestID, e.Annotates, e.TypeVersion)
	if err != nil {
		return nil, fmt.Errorf("create export %s: %w", e.ID, err)
	}
	return db.Export(ctx, tx, e.ID)
}

// Export returns an export of the transaction's organisation, or NOT_FOUND.
func (db *DB) Export(ctx context.Context, tx pgx.Tx, id job.ExportID) (*job.Export, error) {
	notFound := problem.New(problem.NotFound, "No export with this ID exists.")
	if id == "" {
		return nil, notFound
	}
	e, err := db.exportWhere(ctx, tx, `WHERE uuid = $1`, id)
	if err != nil {
		return nil, fmt.Errorf("load export %s: %w", id, err)
	}
	if e == nil {
		return nil, notFound
	}
	return e, nil
}

// AnnotatedExport returns the latest export that annotates the file of an import; nil if none
// was requested.
func (db *DB) AnnotatedExport(ctx context.Context, tx pgx.Tx, of job.ID) (*job.Export, error) {
	e, err := db.exportWhere(ctx, tx, `WHERE annotates = $1 ORDER BY id DESC LIMIT 1`, of)
	if err != nil {
		return nil, fmt.Errorf("load annotated file of job %s: %w", of, err)
	}
	return e, nil
}

// exportWhere returns the export that matches the condition, or nil.
func (*DB) exportWhere(ctx context.Context, tx pgx.Tx, where string, args ...any) (*job.Export, error) {
	rows, err := tx.Query(ctx, `SELECT `+exportColumns+` FROM export_jobs `+where, args...)
	if err != nil {
		return nil, err
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[exportRow])
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return row.export(), nil
}

func collectExports(rows pgx.Rows) ([]*job.Export, error) {
	found, err := pgx.CollectRows(rows, pgx.RowToAddrOfStructByName[exportRow])
	if err != nil {
		return nil, fmt.Errorf("read exports: %w", err)
	}
	exports := make([]*job.Export, len(found))
	for i := range found {
		exports[i] = found[i].export()
	}
	return exports, nil
}

// ExportFilter narrows a list of exports; zero values match all.
type ExportFilter struct {
	Status     job.ExportStatus
	ImportType string
	Created    Period
	job.Page
}

func exportOrder() listOrder { return listOrder{createdKey("export_jobs", true)} }

// ExportCursor returns the keys of an export in a list.
func ExportCursor(id job.ExportID, created time.Time) []string { return createdCursor(id, created) }

// Exports lists the organisation's exports, newest first, and their total number.
func (*DB) Exports(ctx context.Context, tx pgx.Tx, f ExportFilter) ([]*job.Export, int64, error) {
	c := &conditions{}
	if f.Status != "" {
		c.add(`status = $%d`, f.Status)
	}
	if f.ImportType != "" {
		c.add(`import_type = $%d`, f.ImportType)
	}
	c.inPeriod(`created_at`, f.Created)
	var total int64
	if err := tx.QueryRow(ctx, `SELECT count(*) FROM export_jobs `+c.where(), c.args...).Scan(&total); err != nil {
		return nil, 0, fmt.Errorf("count exports: %w", err)
	}
	if err := c.addAfter(exportOrder(), f.After); err != nil {
		return nil, 0, err
	}
	rows, err := tx.Query(ctx, `SELECT `+exportColumns+` FROM export_jobs `+c.where()+exportOrder().clause()+c.page(f.Page), c.args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list exports: %w", err)
	}
	found, err := collectExports(rows)
	return found, total, err
}

// StartExport sets an export to PROCESSING unless it has ended, and reports whether
// it did.
func (db *DB) StartExport(ctx context.Context, tx pgx.Tx, id job.ExportID) (bool, error) {
	return anyAffected(tx.Exec(ctx, `
		UPDATE export_jobs
		SET status = 'processing', started_at = coalesce(started_at, now()), touched_at = now(), record_count = 0
		WHERE uuid = $1 AND status IN ('pending', 'processing')`, id))
}

// SaveExportProgress saves the number of written rows, and reports whether the export is
// still open.
func (db *DB) SaveExportProgress(ctx context.Context, tx pgx.Tx, id job.ExportID, records int64) (bool, error) {
	return anyAffected(tx.Exec(ctx, `
		UPDATE export_jobs
		SET record_count = $2, touched_at = now()
		WHERE uuid = $1 AND status = 'processing'`, id, records))
}

// CompleteExport completes an export after its file is stored, and reports whether it was
// still open.
func (db *DB) CompleteExport(ctx context.Context, tx pgx.Tx, id job.ExportID, records, size int64) (bool, error) {
	return anyAffected(tx.Exec(ctx, `
		UPDATE export_jobs
		SET status = 'completed', record_count = $2, size_bytes = $3, completed_at = now()
		WHERE uuid = $1 AND status = 'processing'`, id, records, size))
}

// EndExport ends an export without a file, as failed or cancelled, and reports
// whether it was still open.
func (db *DB) EndExport(ctx context.Context, tx pgx.Tx, id job.ExportID, status job.ExportStatus, why *job.Failure) (bool, error) {
	var code, message *string
	if why != nil {
		code, message = &why.Code, &why.Message
	}
	return anyAffected(tx.Exec(ctx, `
		UPDATE export_jobs
		SET status = $2, failure_code = $3, failure_message = $4, completed_at = now()
		WHERE uuid = $1 AND status IN ('pending', 'processing')`, id, status, code, message))
}

// anyAffected reports whether an UPDATE has changed any rows.
func anyAffected(tag interface{ RowsAffected() int64 }, err error) (bool, error) {
	if err != nil {
		return false, fmt.Errorf("update: %w", err)
	}
	return tag.RowsAffected() > 0, nil
}
