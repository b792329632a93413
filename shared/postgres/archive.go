package postgres

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/deletion"
)

// archiveColumns are the columns that the archive of an organisation contains in another form, by table:
// secrets and addresses with secrets not at all ("").
var archiveColumns = map[string]map[string]string{
	"loadbay.api_keys":            {"hash": "", "previous_hash": ""},
	"loadbay.webhooks":            {"secret": "", "previous_secret": ""},
	"loadbay.import_sources":      {"url": ""},
	"loadbay.import_chunks":       {"outcomes": `encode(t.outcomes, 'escape')`, "repeated": ""},
	"loadbay.import_changes":      {"data": ""}, // in WriteArchivedChanges
	"loadbay.import_plan_changes": {"data": ""},
}

// archiveFrom is the FROM clause for an organisation's rows t of a table. Many tables of imports have an
// index by import and none by organisation: their rows are found import by import.
func archiveFrom(organisation tenant.ID, table string, ofJobs bool) string {
	if !ofJobs {
		return fmt.Sprintf(`FROM %s AS t WHERE t.organisation_id = %d`, table, organisation)
	}
	return fmt.Sprintf(`
		FROM (SELECT id FROM import_jobs WHERE organisation_id = %[2]d ORDER BY id) AS j
		CROSS JOIN LATERAL (SELECT * FROM %[1]s AS of_job WHERE of_job.organisation_id = %[2]d AND of_job.job_id = j.id OFFSET 0) AS t`, table, organisation)
}

// WriteArchivedTable writes the organisation's rows of a table as lines of JSON, and returns their number.
// progress is called after every fetch.
func (db *DB) WriteArchivedTable(ctx context.Context, tx pgx.Tx, organisation tenant.ID, table deletion.Table, w io.Writer, progress func(rows int64) error) (int64, error) {
	row := `to_jsonb(t)`
	var hidden, replaced []string
	for column, value := range archiveColumns[table.Name] {
		if hidden = append(hidden, "'"+column+"'"); value != "" {
			replaced = append(replaced, "'"+column+"', "+value)
		}
	}
	if len(hidden) > 0 {
		row += ` - ARRAY[` + strings.Join(hidden, ", ") + `]`
	}
	if len(replaced) > 0 {
		row += ` || jsonb_build_object(` + strings.Join(replaced, ", ") + `)`
	}
	return db.eachArchived(ctx, tx, `SELECT `+row+` `+archiveFrom(organisation, table.Name, table.OfJobs), progress, func(values [][]byte) error {
		if _, err := w.Write(values[0]); err != nil {
			return err
		}
		_, err := io.WriteString(w, "\n")
		return err
	})
}

// archivedChange is a change in the archive.
type archivedChange struct {
	JobID   int64              `json:"job_id"`
	Chunk   int                `json:"chunk_index"`
	Part    int                `json:"part"`
	Row     int64              `json:"row"`
	Table   string             `json:"table"`
	ID      string             `json:"id"`
	Op      string             `json:"op"`
	Before  map[string]*string `json:"before"`
	After   map[string]*string `json:"after"`
	PrevJob int64              `json:"prev_job"`
	PrevRow int64              `json:"prev_row"`
}

// WriteArchivedChanges writes the changes of the organisation's imports, actual or planned ones, as lines
// of JSON, and returns their number.
func (db *DB) WriteArchivedChanges(ctx context.Context, tx pgx.Tx, organisation tenant.ID, planned bool, w io.Writer, progress func(rows int64) error) (written int64, err error) {
	lines := json.NewEncoder(w)
	sql := `SELECT t.job_id, t.chunk_index, t.part, t.data ` + archiveFrom(organisation, changesTable(changeset.Ref{Planned: planned}), true)
	_, err = db.eachArchived(ctx, tx, sql, func(int64) error { return progress(written) }, func(values [][]byte) error {
		data, err := hex.DecodeString(strings.TrimPrefix(string(values[3]), `\x`))
		if err != nil {
			return fmt.Errorf("read change set: %w", err)
		}
		changes, err := changeset.Decode(data)
		if err != nil {
			return err
		}
		var at archivedChange
		if _, err := fmt.Sscan(string(values[0])+" "+string(values[1])+" "+string(values[2]), &at.JobID, &at.Chunk, &at.Part); err != nil {
			return fmt.Errorf("read change set: %w", err)
		}
		for i := range changes {
			if err := lines.Encode(at.of(&changes[i])); err != nil {
				return err
			}
			written++
		}
		return nil
	})
	return written, err
}

// of returns a change of the same part.
func (a archivedChange) of(c *changeset.Change) archivedChange {
	a.Row, a.Table, a.ID, a.Op, a.PrevJob, a.PrevRow = c.Row, c.Table, c.ID, c.Op.String(), c.PrevJob, c.PrevRow
	a.Before, a.After = archivedValues(c.Columns, c.Before), archivedValues(c.Columns, c.After)
	return a
}

func archivedValues(columns []string, values []*string) map[string]*string {
	if len(values) == 0 {
		return nil
	}
	found := make(map[string]*string, len(columns))
	for i, column := range columns {
		if i < len(values) {
			found[column] = values[i]
		}
	}
	return found
}

// archiveFetch is the number of rows per fetch. Each is a separate statement, so the statement timeout
// does not limit an archive.
const archiveFetch = 1000

// eachArchived calls f for the rows of a query, in the text form of their values, which f may not retain.
// It bypasses pgx.Tx.Query, which caches the result columns of a statement.
func (*DB) eachArchived(ctx context.Context, tx pgx.Tx, sql string, progress func(rows int64) error, f func(values [][]byte) error) (rows int64, err error) {
	if _, err := tx.Exec(ctx, `DECLARE archive NO SCROLL CURSOR FOR `+sql); err != nil {
		return 0, fmt.Errorf("read rows for archive: %w", err)
	}
	for {
		n := int64(0)
		var failed error
		r := tx.Conn().PgConn().ExecParams(ctx, fmt.Sprintf(`FETCH %d FROM archive`, archiveFetch), nil, nil, nil, nil)
		for r.NextRow() {
			if n++; failed == nil { // the connection has to be read to the end
				failed = f(r.Values())
			}
		}
		if _, err := r.Close(); err != nil {
			return rows, fmt.Errorf("fetch rows for archive: %w", err)
		}
		if failed != nil {
			return rows, failed
		}
		rows += n
		if n < archiveFetch {
			break
		}
		if err := progress(rows); err != nil {
			return rows, err
		}
	}
	if _, err := tx.Exec(ctx, `CLOSE archive`); err != nil {
		return rows, fmt.Errorf("close rows for archive: %w", err)
	}
	return rows, nil
}

// StoredFiles returns the next original files of imports that are not purged, after an import, each with
// the import that it was sent for.
func (*DB) StoredFiles(ctx context.Context, tx pgx.Tx, organisation tenant.ID, after job.Key, limit int) (files []job.StoredFile, last job.Key, err error) {
	rows, err := tx.Query(ctx, `
		SELECT id, uuid::text, original_filename, object_key, size_bytes, coalesce(object_etag, '')
		FROM import_jobs
		WHERE organisation_id = $1 AND id > $2 AND NOT files_purged AND uploaded_at IS NOT NULL AND purpose <> 'UNDO'
		  AND (starts_with(object_key, format('uploads/%s/%s/', organisation_id, uuid)) OR retry_of IS NULL AND starts_with(object_key, 'drop/'))
		ORDER BY id
		LIMIT $3`, organisation, after, limit)
	if err != nil {
		return nil, 0, fmt.Errorf("list stored files: %w", err)
	}
	var f job.StoredFile
	_, err = pgx.ForEachRow(rows, []any{&last, &f.ID, &f.Name, &f.Key, &f.Size, &f.ETag}, func() error {
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list stored files: %w", err)
	}
	return files, last, nil
}

// QuarantinedFiles returns the files of the drop folder that cannot be imported.
func (*DB) QuarantinedFiles(ctx context.Context, tx pgx.Tx, organisation tenant.ID) ([]job.StoredFile, error) {
	rows, err := tx.Query(ctx, `
		SELECT id::text, object_key, kept_key, size_bytes
		FROM quarantined_drops
		WHERE organisation_id = $1
		ORDER BY quarantined_at, id`, organisation)
	if err != nil {
		return nil, fmt.Errorf("list quarantined files: %w", err)
	}
	var files []job.StoredFile
	var f job.StoredFile
	_, err = pgx.ForEachRow(rows, []any{&f.ID, &f.Name, &f.Key, &f.Size}, func() error {
		files = append(files, f)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("list quarantined files: %w", err)
	}
	return files, nil
}
