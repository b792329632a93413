package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

// jobColumns are the columns of jobRow.
const jobColumns = `dialect, result, ` + retriesColumn + shortColumns

// retriesColumn selects the imports that retry rows of a job, the latest ones first.
const retriesColumn = `
	CASE WHEN error_count > 0 THEN (
		SELECT jsonb_agg(jsonb_build_object('id', r.uuid, 'rerun', r.rerun, 'status', r.status, 'rows', r.total_rows,
			'success', r.created_count + r.updated_count + r.unchanged_count + r.skipped_count, 'errors', r.error_count, 'createdAt', r.created_at) ORDER BY r.id DESC)
		FROM (SELECT * FROM import_jobs AS i WHERE i.retry_of = import_jobs.uuid ORDER BY i.id DESC LIMIT 100) AS r
	) END AS retries,`

// listedColumns are the columns of jobRow for lists of jobs, without potentially large ones.
const listedColumns = `NULL::jsonb AS dialect, NULL::jsonb AS result, NULL::jsonb AS retries,` + shortColumns

// shortColumns are the small columns of jobRow.
const shortColumns = `
	id, uuid::text AS uuid, organisation_id, import_type, coalesce(type_version, 0) AS type_version, context_id, status, mode, auto_start, whole_file, coalesce(skip_mapping_phases, whole_file) AS skip_mapping_phases, cells_skipped, dry_run,
	coalesce(review, CASE WHEN auto_start OR coalesce(skip_mapping_phases, whole_file) THEN 'never' ELSE 'unsure' END) AS review,
	original_filename, content_type, object_key, object_etag, size_bytes, sha256, options, warnings, request_id, retry_of::text AS retry_of, batch_id,
	profile_id::text AS profile_id, profile_name, profile_version, profile_choice,
	label, uploader, max_errors, notify, import_options,
	undo_of::text AS undo_of, undo_mode, ` + undoneRetries + undoneBy + ` AS undone,
	total_rows, created_count, updated_count, unchanged_count, skipped_count, error_count, deferred_count, file_lines, blank_lines, header_lines,
	chunk_total, chunks_done, split_complete, callback_pending, announced, failure_code, failure_message,
	rerun, CASE WHEN error_count > 0 THEN (
		SELECT coalesce(sum(r.created_count + r.updated_count + r.unchanged_count + r.skipped_count), 0) FROM import_jobs AS r
		WHERE r.retry_of = import_jobs.uuid AND r.rerun AND NOT (r.plan AND r.applied_at IS NULL AND r.status IN ('CANCELLED', 'FAILED'))
	) ELSE 0 END AS put_right,
	machine, rereads, options_before, bytes_read,
	undo_days, undo_until, coalesce(undo_until > now() AND NOT changes_purged, false) AS undo_open, files_due,
	created_at, updated_at, uploaded_at, started_at, completed_at, ` + planColumns

// undoneRetries selects the retries that an undo reverts, the latest ones first.
const undoneRetries = `
	CASE WHEN undo_of IS NOT NULL THEN (
		SELECT jsonb_agg(jsonb_build_object('id', r.retry, 'changes', r.changes) ORDER BY r.retry DESC) FROM import_undo_retries AS r WHERE r.job_id = import_jobs.id
	) END AS undo_retries,`

// undoneBy is lastUndo of a job in import_jobs.
const undoneBy = `CASE WHEN completed_at IS NOT NULL AND undo_days > 0 THEN (` + lastUndo + `import_jobs.uuid` + lastUndoEnd + `) END`

// lastUndo, a uuid and lastUndoEnd select the last import that has undone a job, as job.RevertedBy.
// An undo that was cancelled or failed counts if it has reverted anything.
const (
	lastUndo = `
		SELECT jsonb_build_object('identifier', u.uuid, 'whole', u.status = 'COMPLETED' AND u.skipped_count + u.error_count = 0) FROM import_undos
		JOIN import_jobs AS u ON u.id = import_undos.job_id
		WHERE ` + hasReverted + `
		AND NOT EXISTS (SELECT FROM import_jobs AS r WHERE r.undo_of = u.uuid AND NOT r.dry_run AND r.status = 'COMPLETED' AND r.skipped_count + r.error_count = 0)
		AND import_undos.reverted = `
	lastUndoEnd = ` ORDER BY u.id DESC LIMIT 1`
)

// hasReverted is the condition of an ended undo u that has reverted something.
const hasReverted = `NOT u.dry_run AND u.completed_at IS NOT NULL AND u.created_count + u.updated_count + u.unchanged_count > 0`

// jobRow is a row of import_jobs.
type jobRow struct {
	ID              job.Key
	UUID            job.ID
	OrganisationID  tenant.ID
	ImportType      string
	TypeVersion     int
	ContextID       *int64
	Status          job.Status
	Mode            rowwrite.Mode
	AutoStart       bool
	WholeFile       bool
	SkipMapping     bool `db:"skip_mapping_phases"`
	CellsSkipped    bool
	DryRun          bool
	Review          job.Review
	Filename        string `db:"original_filename"`
	ContentType     string
	ObjectKey       string
	ObjectETag      string `db:"object_etag"`
	SizeBytes       int64
	SHA256          string `db:"sha256"`
	Options         []byte
	Dialect         []byte
	Warnings        []string
	Result          []byte
	RequestID       string
	RetryOf         *job.ID
	UndoOf          *job.ID
	UndoMode        *string
	UndoRetries     []job.UndoneRetry
	Undone          *job.RevertedBy
	Rerun           bool
	PutRight        int64
	Retries         []job.Retry
	BatchID         *string
	ProfileID       *job.ProfileID
	ProfileName     *string
	ProfileVersion  *int
	ProfileChoice   *job.ProfileChoice
	Label           string
	Uploader        *string
	MaxErrors       *job.ErrorLimit
	ImportOptions   importOptions
	Notify          []string
	TotalRows       int64
	CreatedCount    int64
	UpdatedCount    int64
	UnchangedCount  int64
	SkippedCount    int64
	ErrorCount      int64
	DeferredCount   int64
	FileLines       int64
	BlankLines      int64
	HeaderLines     int64
	ChunkTotal      int
	ChunksDone      int
	SplitComplete   bool
	CallbackPending bool
	Announced       bool
	Machine         int
	Rereads         int
	OptionsBefore   []byte
	BytesRead       int64
	FailureCode     *string
	FailureMessage  *string
	CreatedAt       time.Time
	UpdatedAt       time.Time
	UploadedAt      *time.Time
	StartedAt       *time.Time
	CompletedAt     *time.Time
	UndoDays        int
	UndoUntil       *time.Time
	UndoOpen        bool
	FilesDue        bool
	planRow
}

func (r *jobRow) job() *job.Job {
	j := &job.Job{
		Key: r.ID, ID: r.UUID, OrganisationID: r.OrganisationID, ImportType: r.ImportType, TypeVersion: r.TypeVersion, ContextID: r.ContextID,
		Status: r.Status, Waiting: r.Announced, Mode: r.Mode, AutoStart: r.AutoStart, WholeFile: r.WholeFile, SkipMapping: r.SkipMapping, CellsSkipped: r.CellsSkipped, DryRun: r.DryRun, Review: r.Review,
		Filename: r.Filename, ContentType: r.ContentType, ObjectKey: r.ObjectKey, ObjectETag: r.ObjectETag, SizeBytes: r.SizeBytes, SHA256: r.SHA256,
		Options: json.RawMessage(r.Options), Dialect: json.RawMessage(r.Dialect), WarningCodes: r.Warnings, ResultJSON: json.RawMessage(r.Result),
		Plan: r.plan(), RowRetry: r.Rerun, FixedRows: r.PutRight, Retries: r.Retries, Undone: r.Undone,
		MachineVersion: r.Machine, Reanalyses: r.Rereads, PreviousOptions: json.RawMessage(r.OptionsBefore), BytesRead: r.BytesRead,
		Label: r.Label, Notify: r.Notify, StatedOptions: r.ImportOptions.StoredOptions, OptionDefaults: r.ImportOptions.Defaults,
		RequestID: r.RequestID, CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, UploadedAt: r.UploadedAt, StartedAt: r.StartedAt, CompletedAt: r.CompletedAt,
		UndoDays: r.UndoDays, UndoUntil: r.UndoUntil, UndoOpen: r.UndoOpen, FilesDue: r.FilesDue,
		Progress: job.Progress{
			TotalRows: r.TotalRows, FileLines: r.FileLines, BlankLines: r.BlankLines, HeaderLines: r.HeaderLines,
			ChunkTotal: r.ChunkTotal, ChunksDone: r.ChunksDone, SplitComplete: r.SplitComplete, CallbackPending: r.CallbackPending,
			Counts: job.Counts{
				Created: r.CreatedCount, Updated: r.UpdatedCount, Unchanged: r.UnchangedCount, Skipped: r.SkippedCount,
				Errored: r.ErrorCount, Deferred: r.DeferredCount, Blank: r.BlankLines,
			},
		},
	}
	if r.RetryOf != nil {
		j.RetryOf = *r.RetryOf
	}
	if r.BatchID != nil {
		j.BatchNumber = *r.BatchID
	}
	if r.UndoOf != nil && r.UndoMode != nil {
		j.Undo = &job.Undo{Of: *r.UndoOf, Mode: *r.UndoMode, Retries: r.UndoRetries}
	}
	j.Profile = r.profile()
	if r.Uploader != nil {
		j.Uploader = *r.Uploader
	}
	if r.MaxErrors != nil {
		j.MaxErrors = *r.MaxErrors
	}
	if r.FailureCode != nil {
		j.Failure = &job.Failure{Code: *r.FailureCode}
		if r.FailureMessage != nil {
			j.Failure.Message = *r.FailureMessage
		}
	}
	return j
}

// importOptions is the document in import_options. Reading ignores unknown options: those of a later
// release during its deployment.
type importOptions struct {
	job.StoredOptions
	Defaults job.StoredOptions `json:"defaults"`
}

// profile returns the profile that the job uses, or nil.
func (r *jobRow) profile() *job.UsedProfile {
	if r.ProfileName == nil || r.ProfileVersion == nil {
		return nil
	}
	p := &job.UsedProfile{Name: *r.ProfileName, Version: *r.ProfileVersion}
	if r.ProfileID != nil {
		p.ID = *r.ProfileID
	}
	if r.ProfileChoice != nil {
		p.Choice = *r.ProfileChoice
	}
	return p
}

func (*DB) oneJob(ctx context.Context, tx pgx.Tx, sql string, args ...any) (*job.Job, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, err
	}
	row, err := pgx.CollectExactlyOneRow(rows, pgx.RowToAddrOfStructByName[jobRow])
	if err != nil {
		return nil, err
	}
	return row.job(), nil
}

// CreateJob adds a job and returns it as stored. If a job with that uuid exists, it returns
// the existing job, so creating is safe to repeat. ORG_INACTIVE, or ORG_REQUIRED, if the
// organisation accepts no imports.
func (db *DB) CreateJob(ctx context.Context, tx pgx.Tx, j *job.Job) (*job.Job, error) {
	if refused := db.checkActive(ctx, tx, j.OrganisationID); refused != nil {
		if kept, err := db.Job(ctx, tx, j.ID); err == nil {
			return kept, nil // jobs in progress continue
		}
		return nil, refused
	}
	_, err := tx.Exec(ctx, `
		INSERT INTO import_jobs (uuid, organisation_id, import_type, context_id, mode, auto_start, whole_file, dry_run,
			original_filename, content_type, object_key, size_bytes, sha256, options, request_id, retry_of, uploaded_at, object_etag,
			skip_mapping_phases, review, label, uploader, max_errors, notify, undo_days, import_options, type_version)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, nullif($16, '')::uuid, CASE WHEN $17 THEN now() END, $18,
			$19, nullif($20, ''), $21, nullif($22, ''), nullif($23, ''), $24,
			coalesce((SELECT undo_days FROM organisation_settings WHERE organisation_id = $2), $25), jsonb_strip_nulls($26::jsonb), nullif($27, 0))
		ON CONFLICT (uuid) DO NOTHING`,
		j.ID, j.OrganisationID, j.ImportType, j.ContextID, j.Mode, j.AutoStart, j.WholeFile, j.DryRun,
		j.Filename, j.ContentType, j.ObjectKey, j.SizeBytes, j.SHA256, jsonOrDefault(j.Options, "{}"), j.RequestID, j.RetryOf, j.UploadedAt != nil, j.ObjectETag,
		j.SkipMapping, j.Review, j.Label, j.Uploader, string(j.MaxErrors), orEmpty(j.Notify), job.DefaultUndoDays,
		importOptions{j.StatedOptions, j.OptionDefaults}, j.TypeVersion)
	if err != nil {
		return nil, fmt.Errorf("create job %s: %w", j.ID, err)
	}
	if err := db.savePlan(ctx, tx, j); err != nil {
		return nil, err
	}
	return db.Job(ctx, tx, j.ID)
}

func jsonOrDefault(v json.RawMessage, empty string) []byte {
	if len(v) == 0 {
		return []byte(empty)
	}
	return v
}

// Job returns the job with that uuid; NOT_FOUND also for those of other organisations.
func (db *DB) Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error) {
	return db.jobWhere(ctx, tx, id, "")
}

// ImportsOfSameObject finds other imports of the drop folder with the same object key: the
// last ended one before j, or nil, and whether there is a later one.
func (db *DB) ImportsOfSameObject(ctx context.Context, tx pgx.Tx, j *job.Job) (before *job.Job, later bool, err error) {
	const same = `WHERE organisation_id = $1 AND object_key = $2 AND object_key LIKE 'drop/%' AND NOT rerun AND `
	err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT FROM import_jobs `+same+`id > $3)`, j.OrganisationID, j.ObjectKey, j.Key).Scan(&later)
	if err != nil {
		return nil, false, fmt.Errorf("load imports of the same object as job %s: %w", j.ID, err)
	}
	before, err = db.oneJob(ctx, tx, `SELECT `+jobColumns+` FROM import_jobs `+same+`id < $3 AND completed_at IS NOT NULL ORDER BY id DESC LIMIT 1`,
		j.OrganisationID, j.ObjectKey, j.Key)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return nil, false, fmt.Errorf("load imports of the same object as job %s: %w", j.ID, err)
	}
	return before, later, nil
}

// LockJob is Job, and locks the job against changes until the transaction ends. It does not
// wait for transactions that only insert rows that refer to the job, such as changes: a chunk
// locks the job's key until it is committed.
func (db *DB) LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error) {
	return db.jobWhere(ctx, tx, id, "FOR NO KEY UPDATE")
}

func (db *DB) jobWhere(ctx context.Context, tx pgx.Tx, id job.ID, lock string) (*job.Job, error) {
	notFound := problem.New(problem.NotFound, "No import with this ID exists.")
	if id == "" {
		return nil, notFound
	}
	j, err := db.oneJob(ctx, tx, `SELECT `+jobColumns+` FROM import_jobs WHERE uuid = $1 `+lock, id)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, notFound
	}
	if err != nil {
		return nil, fmt.Errorf("read job %s: %w", id, err)
	}
	return j, nil
}

// MarkUploaded records that the job's object is stored, with its actual size, and the version
// of it that the job imports.
func (db *DB) MarkUploaded(ctx context.Context, tx pgx.Tx, key job.Key, file object.Info) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET uploaded_at = coalesce(uploaded_at, now()), size_bytes = $2, updated_at = now(),
		    object_etag = coalesce(nullif(object_etag, ''), $3)
		WHERE id = $1 AND status = 'UPLOADED'`, key, file.Size, file.ETag)
	if err != nil {
		return fmt.Errorf("mark job %d as uploaded: %w", key, err)
	}
	return nil
}

// SaveAnalysis saves the results of the analysis, by which the file is read from now on.
func (db *DB) SaveAnalysis(ctx context.Context, tx pgx.Tx, key job.Key, a job.Analysis) error {
	_, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET dialect = $2, warnings = $3, total_rows = $4, updated_at = now(),
		    object_etag = coalesce(nullif(object_etag, ''), $5), machine = $6, options_before = NULL, bytes_read = 0
		WHERE id = $1`, key, pgtext.SanitizeJSON(a.Dialect), cleanTexts(a.Warnings), a.Total, a.ETag, a.MachineVersion)
	if err != nil {
		return fmt.Errorf("save analysis of job %d: %w", key, err)
	}
	return nil
}

// AddWarnings adds warnings to those of the job, without duplicates.
func (db *DB) AddWarnings(ctx context.Context, tx pgx.Tx, key job.Key, warnings []string) error {
	if len(warnings) == 0 {
		return nil
	}
	_, err := tx.Exec(ctx, `
		UPDATE import_jobs
		SET warnings = warnings || ARRAY(
			SELECT w.text
			FROM unnest($2::text[]) WITH ORDINALITY AS w(text, place)
			WHERE w.text <> ALL (warnings)
			ORDER BY w.place
		)
		WHERE id = $1`, key, warnings)
	if err != nil {
		return fmt.Errorf("add %d warnings to job %d: %w", len(warnings), key, err)
	}
	return nil
}

func orEmpty(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Transition changes the job's status if the life cycle allows it, and returns the previous
// status. If the new status publishes an event, the same statement adds it to the outbox, so
// neither exists without the other. If the transition is not allowed, ok is false and nothing
// changes; this includes cancelling a job after its last row was written rather than planned:
// that job completes.
//
// A batch of which nothing was written, or whose import was undone, releases its file: see
// AssignBatchNumber.
//
// The end of a job clears reconciled_at, because comparing times is not enough: they are those
// of the transaction's start, and reconcile may have processed the job since.
func (db *DB) Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (from job.Status, ok bool, err error) {
	allowed := job.StatusesBefore(t.To)
	if t.ExpectedFrom != "" {
		allowed = []job.Status{t.ExpectedFrom}
		if !t.ExpectedFrom.CanBecome(t.To) {
			return "", false, nil
		}
	}
	var code, message *string
	if t.Failure != nil {
		text := pgtext.Sanitize(t.Failure.Message)
		code, message = &t.Failure.Code, &text
	}
	err = tx.QueryRow(ctx, `
		WITH moved AS (
			UPDATE import_jobs AS j
			SET status          = $2,
			    failure_code    = coalesce($4, failure_code),
			    failure_message = coalesce($5, failure_message),
			    cells_skipped   = cells_skipped OR $6,
			    started_at      = CASE WHEN $2 = 'PROCESSING' THEN coalesce(started_at, now()) ELSE started_at END,
			    completed_at    = CASE WHEN $7 THEN now() END,
			    reconciled_at   = CASE WHEN NOT $7 THEN reconciled_at END,
			    file_repeatable = file_repeatable OR $2 = 'COMPLETED' AND created_count + updated_count = 0,
			    undo_until      = CASE WHEN $7 AND started_at IS NOT NULL AND NOT dry_run AND NOT (plan AND applied_at IS NULL) AND undo_days > 0 THEN now() + make_interval(days => undo_days) END,
			    updated_at      = now(),
			    announced       = $9,
			    event_count     = event_count + CASE WHEN $9 THEN 1 ELSE 0 END
			FROM (
				SELECT id, status AS left_behind, updated_at AS idle_since,
					status = 'PROCESSING' AND split_complete AND chunks_done = chunk_total AND NOT (plan AND applied_at IS NULL) AS written
				FROM import_jobs WHERE id = $1 FOR NO KEY UPDATE
			) AS old
			WHERE j.id = old.id AND old.left_behind = ANY ($3) AND ($8::float8 = 0 OR old.idle_since < now() - make_interval(secs => $8))
			  AND NOT ($2 = 'CANCELLED' AND old.written)
			RETURNING j.*, old.left_behind
		), released AS (
			UPDATE import_jobs AS batch
			SET file_repeatable = true
			FROM moved AS u
			JOIN import_undos ON import_undos.job_id = u.id
			WHERE batch.uuid = import_undos.reverted AND batch.batch_id IS NOT NULL AND NOT batch.file_repeatable AND `+hasReverted+`
		), `+insertEvent+`
		SELECT left_behind FROM moved`,
		key, t.To, statusTexts(allowed), code, message, t.CellsSkipped, t.To.Terminal(), t.IdleFor.Seconds(), t.To.PublishesEvent() && !t.Provisional).Scan(&from)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", false, nil
	}
	if err != nil {
		return "", false, fmt.Errorf("transition job %d to %s: %w", key, t.To, err)
	}
	return from, true, nil
}

func statusTexts(statuses []job.Status) []string {
	texts := make([]string, len(statuses))
	for i, s := range statuses {
		texts[i] = string(s)
	}
	return texts
}
