package postgres

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/job"
)

// Parameters of all erasures: $1 are the normalised values, $2 patterns of those that are
// long enough to be searched within other texts, $3 and $4 the jobs and numbers of the
// person's rows, $5 the jobs to process. This prefix declares the types of all of them, which
// Postgres requires even for those that a statement does not use.
const erasureParameters = `WITH given AS (SELECT $1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[]) `

// Conditions of erasures.
const (
	ofJobs      = `job_id = ANY ($5)`
	ofEndedJobs = `job_id IN (SELECT id FROM import_jobs WHERE completed_at IS NOT NULL AND id = ANY ($5))`
	endedJobIDs = `completed_at IS NOT NULL AND id = ANY ($5)`
)

// normalised returns the SQL of erasure.Normalise, but for white space at the ends.
func normalised(text string) string { return `lower(normalize(` + text + `, NFKC))` }

// identifiesPerson returns the condition that a text identifies the person.
func identifiesPerson(text string) string {
	return `(` + normalised(text) + ` = ANY ($1) OR ` + mentionsPerson(text) + `)`
}

// mentionsPerson returns the condition that a text contains one that identifies the person.
func mentionsPerson(text string) string { return normalised(text) + ` LIKE ANY ($2)` }

// erasedText replaces identifying texts of a column by a note that they were erased.
func erasedText(table, column, where string) string {
	return `UPDATE ` + table + ` SET ` + column + ` = 'Erased.' WHERE ` + where + ` AND ` + identifiesPerson(column)
}

// erasedTexts removes identifying texts from a column of arrays.
func erasedTexts(table, column, where string) string {
	return `UPDATE ` + table + ` SET ` + column + ` = ARRAY(SELECT v FROM unnest(` + column + `) AS v WHERE NOT ` + identifiesPerson("v") + `)
		WHERE ` + where + ` AND EXISTS (SELECT FROM unnest(` + column + `) AS v WHERE ` + identifiesPerson("v") + `)`
}

// erasedDocument replaces identifying texts in a column of documents.
func erasedDocument(table, column, where string) string {
	return `UPDATE ` + table + ` SET ` + column + ` = without_values(` + column + `, $1, $2)
		WHERE ` + where + ` AND ` + column + ` <> without_values(` + column + `, $1, $2)`
}

// erasedMappings removes the entries for identifying values from a column of mappings.
func erasedMappings(table, column, where string) string {
	values := `jsonb_array_elements(` + column + ` -> 'values') AS v WHERE `
	return `UPDATE ` + table + ` SET ` + column + ` = jsonb_set(` + column + `, '{values}', (SELECT coalesce(jsonb_agg(v), '[]') FROM ` + values + `NOT ` + identifiesPerson("v ->> 'value'") + `))
		WHERE ` + where + ` AND jsonb_typeof(` + column + ` -> 'values') = 'array' AND EXISTS (SELECT FROM ` + values + identifiesPerson("v ->> 'value'") + `)`
}

// faultsErasure returns the statement that removes values from the errors of some rows: $6 is the
// job, $7 the number of the row before them, $8 that of the last.
func faultsErasure() string {
	return `UPDATE import_row_results AS r
		SET faults = (SELECT coalesce(jsonb_agg((f - 'value') || '{"message": "Erased."}'), '[]') FROM jsonb_array_elements(r.faults) AS f)
		WHERE job_id = $6 AND row_number > $7 AND row_number <= $8
		  AND ((r.job_id, r.row_number) IN (SELECT * FROM unnest($3::bigint[], $4::bigint[])) OR ` + mentionsPerson("r.faults::text") + `
		   OR EXISTS (SELECT FROM jsonb_array_elements(r.faults) AS f WHERE ` + normalised("f ->> 'value'") + ` = ANY ($1)))`
}

// jobErasures returns the statements that remove values from the data of some imports, except
// their change sets and the errors of their rows. The reading options of an import are unchanged until it has ended.
func jobErasures() []string {
	return []string{
		`DELETE FROM import_row_corrections
		WHERE ` + ofJobs + ` AND ((job_id, row_number) IN (SELECT * FROM unnest($3::bigint[], $4::bigint[])) OR ` + identifiesPerson("value #>> '{}'") + `)`,
		`DELETE FROM import_cell_mappings WHERE ` + ofEndedJobs + ` AND (` + identifiesPerson("source_value") + ` OR ` + identifiesPerson("target_value") + `
		   OR row_count = 1 AND (job_id, first_row) IN (SELECT * FROM unnest($3::bigint[], $4::bigint[])))`,
		`DELETE FROM import_last_rows WHERE ` + ofJobs + ` AND (` + mentionsPerson("last_rows::text") + ` OR job_id = ANY ($3))`,
		`DELETE FROM event_mails WHERE ` + ofEndedJobs + ` AND ` + normalised("address") + ` = ANY ($1)`,
		`UPDATE webhook_deliveries SET body = '{}' WHERE ` + ofJobs + ` AND status <> 'PENDING' AND ` + mentionsPerson("body"),
		erasedTexts("import_column_mappings", "samples", ofJobs),
		erasedText("import_column_mappings", "source_header", ofEndedJobs),
		erasedText("import_column_mappings", "constant", ofEndedJobs),
		erasedDocument("import_column_mappings", "locale", ofEndedJobs),
		erasedDocument("import_column_mappings", "transforms", ofEndedJobs),
		erasedDocument("import_column_mappings", "content", ofEndedJobs),
		erasedMappings("import_given_mappings", "document", ofJobs),
		erasedDocument("import_given_mappings", "document", ofEndedJobs),
		erasedText("import_sources", "url", ofEndedJobs),
		erasedText("import_jobs", "original_filename", "id = ANY ($5)"),
		erasedText("import_jobs", "label", "id = ANY ($5)"),
		erasedText("import_jobs", "failure_message", "id = ANY ($5)"),
		erasedTexts("import_jobs", "warnings", "id = ANY ($5)"),
		erasedTexts("import_jobs", "notify", endedJobIDs),
		erasedText("import_jobs", "profile_name", endedJobIDs),
		erasedDocument("import_jobs", "options", endedJobIDs),
		erasedDocument("import_jobs", "options_before", endedJobIDs),
		erasedDocument("import_jobs", "dialect", endedJobIDs),
		erasedDocument("import_jobs", "result", endedJobIDs),
	}
}

// listErasure returns the statement that deletes texts of a list that no entity refers to.
func listErasure(l erasure.List) string {
	sql := `DELETE FROM ` + l.Table + ` AS l WHERE ` + identifiesPerson(l.Column)
	for _, r := range l.References {
		sql += ` AND NOT EXISTS (SELECT FROM ` + r.Table + ` WHERE l.id IN (` + strings.Join(r.Columns, ", ") + `))`
	}
	return sql
}

// organisationErasures returns the statements that remove values that belong to no import.
func organisationErasures() []string {
	const all = `true`
	return []string{
		`DELETE FROM import_cell_decisions WHERE ` + identifiesPerson("source_value"),
		`DELETE FROM past_answers WHERE ` + identifiesPerson("text") + ` OR ` + mentionsPerson("answers::text"),
		`UPDATE webhook_deliveries SET body = '{}' WHERE job_id IS NULL AND status <> 'PENDING' AND ` + mentionsPerson("body"),
		erasedMappings("import_profile_versions", "mapping", all),
		erasedDocument("import_profile_versions", "mapping", all),
		erasedText("import_profile_versions", "name", all),
		`UPDATE import_profile_versions SET headers = ARRAY(SELECT CASE WHEN ` + identifiesPerson("h") + ` THEN 'Erased.' ELSE h END FROM unnest(headers) WITH ORDINALITY AS in_order (h, n) ORDER BY n)
		WHERE EXISTS (SELECT FROM unnest(headers) AS h WHERE ` + identifiesPerson("h") + `)`,
		`UPDATE import_profiles SET name = 'Erased ' || id WHERE ` + identifiesPerson("name"),
		erasedTexts("import_profiles", "notify", all),
		erasedDocument("export_jobs", "filters", "completed_at IS NOT NULL"),
		erasedText("export_jobs", "failure_message", all),
		erasedText("quarantined_drops", "message", all),
		erasedDocument("quarantined_drops", "errors", all),
	}
}

// EraseJobValues removes the values of a person from the data of the organisation's next
// imports after a job, except their change sets. It returns the last of them; 0 if there was
// none.
func (db *DB) EraseJobValues(ctx context.Context, tx pgx.Tx, t *erasure.Traces, after job.Key, limit erasure.StepLimit) (last job.Key, err error) {
	rows, err := tx.Query(ctx, `
		SELECT id
		FROM (SELECT id, sum(error_count) OVER (ORDER BY id) - error_count AS before
		      FROM (SELECT id, error_count FROM import_jobs WHERE id > $1 ORDER BY id LIMIT $2) AS next) AS counted
		WHERE before < $3
		ORDER BY id`, after, limit.Jobs, limit.Rows)
	if err != nil {
		return 0, fmt.Errorf("erase values: %w", err)
	}
	keys, err := pgx.CollectRows(rows, pgx.RowTo[int64])
	if err != nil || len(keys) == 0 {
		return 0, err
	}
	for _, key := range keys {
		if err := eraseFaults(ctx, tx, t, key, limit.Rows); err != nil {
			return 0, err
		}
	}
	return job.Key(keys[len(keys)-1]), erase(ctx, tx, t, jobErasures(), keys)
}

// eraseFaults removes the values of a person from the errors of an import, in statements for
// limited numbers of rows: searching in them is slow, and a statement has a timeout.
func eraseFaults(ctx context.Context, tx pgx.Tx, t *erasure.Traces, key int64, limit int) error {
	jobs, numbers := t.Rows()
	values, patterns := t.Values(), t.Patterns()
	for after := int64(-1); ; {
		var last *int64
		err := tx.QueryRow(ctx, `
			SELECT max(row_number)
			FROM (SELECT row_number FROM import_row_results WHERE job_id = $1 AND row_number > $2 ORDER BY row_number LIMIT $3) AS page`,
			key, after, limit).Scan(&last)
		if err == nil && last == nil {
			return nil
		}
		if err == nil {
			_, err = tx.Exec(ctx, erasureParameters+faultsErasure(), values, patterns, jobs, numbers, []int64{key}, key, after, *last)
		}
		if err != nil {
			return fmt.Errorf("erase errors of job %d: %w", key, err)
		}
		after = *last
	}
}

// EraseOrganisationValues removes the values of a person that belong to no import.
func (db *DB) EraseOrganisationValues(ctx context.Context, tx pgx.Tx, of *erasure.Tables, t *erasure.Traces) error {
	tables, ids := t.Entities()
	_, err := tx.Exec(ctx, `DELETE FROM kept_changes WHERE (entity_table, entity_id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`, tables, ids)
	if err != nil {
		return fmt.Errorf("erase values kept by undos: %w", err)
	}
	statements := organisationErasures()
	for _, l := range of.Lists {
		statements = append(statements, listErasure(l))
	}
	return erase(ctx, tx, t, statements, nil)
}

func erase(ctx context.Context, tx pgx.Tx, t *erasure.Traces, statements []string, of []int64) error {
	jobs, rows := t.Rows()
	values, patterns := t.Values(), t.Patterns()
	for _, sql := range statements {
		if _, err := tx.Exec(ctx, erasureParameters+sql, values, patterns, jobs, rows, of); err != nil {
			return fmt.Errorf("erase values: %w", err)
		}
	}
	return nil
}

// MarkFilesForPurge marks the files of all ended exports of the organisation, and of all
// imports once they have ended, for deletion by the next purge. It returns the number of
// imports that have not ended.
func (db *DB) MarkFilesForPurge(ctx context.Context, tx pgx.Tx) (open int64, err error) {
	if _, err = tx.Exec(ctx, `UPDATE import_jobs SET files_due = true WHERE NOT files_purged AND NOT files_due`); err == nil {
		_, err = tx.Exec(ctx, `UPDATE export_jobs SET purge_due = true WHERE completed_at IS NOT NULL`)
	}
	if err != nil {
		return 0, fmt.Errorf("mark files for purge: %w", err)
	}
	return db.OpenImports(ctx, tx)
}

// OpenImports returns the number of the organisation's imports that have not ended.
func (db *DB) OpenImports(ctx context.Context, tx pgx.Tx) (open int64, err error) {
	if err = tx.QueryRow(ctx, `SELECT count(*) FROM import_jobs WHERE completed_at IS NULL`).Scan(&open); err != nil {
		return 0, fmt.Errorf("load open imports: %w", err)
	}
	return open, nil
}
