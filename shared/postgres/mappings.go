package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
)

// SaveColumnMappings replaces the column mappings of a job.
func (db *DB) SaveColumnMappings(ctx context.Context, tx pgx.Tx, j *job.Job, mappings []job.MappedColumn) error {
	batch := &pgx.Batch{}
	batch.Queue(`DELETE FROM import_column_mappings WHERE job_id = $1`, j.Key)
	for i := range mappings {
		queueColumn(batch, j, &mappings[i])
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("save %d column mappings of job %s: %w", len(mappings), j.ID, err)
	}
	return nil
}

// queueColumn inserts a column.
func queueColumn(batch *pgx.Batch, j *job.Job, m *job.MappedColumn) {
	batch.Queue(`
		INSERT INTO import_column_mappings (job_id, organisation_id, column_index, source_header, target_field, status, confidence, samples, confirmed, decided, locale,
			more_columns, separator, constant, transforms, matched_by, content)
		VALUES ($1, $2, $3, $4, nullif($5, ''), $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)`,
		j.Key, j.OrganisationID, m.ColumnIndex, pgtext.Sanitize(m.Header), m.TargetField, m.Status, m.Confidence, cleanTexts(m.Samples), m.Confirmed, m.Decided, m.Locale,
		orEmptyList(m.ExtraColumns), m.Separator, m.Constant, orEmptyList(m.Transforms), m.MatchedBy, m.Content)
}

// ReplaceColumns replaces all columns of a job: those with an ID are updated, the others
// inserted. Entries without a column of their own that are no longer a field are deleted.
func (db *DB) ReplaceColumns(ctx context.Context, tx pgx.Tx, j *job.Job, columns []job.MappedColumn) error {
	ids := []int64{}
	for _, c := range columns {
		if c.ID != 0 && (c.ColumnIndex >= 0 || c.TargetField != "") {
			ids = append(ids, c.ID)
		}
	}
	if _, err := tx.Exec(ctx, `DELETE FROM import_column_mappings WHERE job_id = $1 AND id <> ALL ($2)`, j.Key, ids); err != nil {
		return fmt.Errorf("replace column mappings of job %s: %w", j.ID, err)
	}
	var known []job.MappedColumn
	fresh := &pgx.Batch{}
	for i := range columns {
		switch c := &columns[i]; {
		case c.ID != 0:
			known = append(known, *c)
		case c.ColumnIndex >= 0 || c.TargetField != "":
			queueColumn(fresh, j, c)
		}
	}
	if err := db.SaveColumnDecisions(ctx, tx, j.Key, known); err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, fresh).Close(); err != nil {
		return fmt.Errorf("replace column mappings of job %s: %w", j.ID, err)
	}
	return nil
}

// ColumnMappings returns the column mappings of a job in order; entries without a column of
// their own come last.
func (db *DB) ColumnMappings(ctx context.Context, tx pgx.Tx, key job.Key) ([]job.MappedColumn, error) {
	rows, err := tx.Query(ctx, `
		SELECT id, column_index, source_header, coalesce(target_field, ''), status, confidence, samples, confirmed, decided, locale,
			more_columns, separator, constant, transforms, matched_by, content
		FROM import_column_mappings
		WHERE job_id = $1
		ORDER BY column_index < 0, abs(column_index)`, key)
	if err != nil {
		return nil, fmt.Errorf("load column mappings of job %d: %w", key, err)
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (m job.MappedColumn, err error) {
		err = row.Scan(&m.ID, &m.ColumnIndex, &m.Header, &m.TargetField, &m.Status, &m.Confidence, &m.Samples, &m.Confirmed, &m.Decided, &m.Locale,
			&m.ExtraColumns, &m.Separator, &m.Constant, &m.Transforms, &m.MatchedBy, &m.Content)
		return m, err
	})
}

func cleanTexts(values []string) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = pgtext.Sanitize(v)
	}
	return out
}

// orEmptyList returns an empty list instead of nil, which would be NULL.
func orEmptyList[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
