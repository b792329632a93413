package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// erasures remove values from what imports keep beside change sets: $1 are the values in
// lower case, $2 patterns of those that are long enough to be looked for within others,
// $3 and $4 the jobs and numbers of the person's rows.
func erasures() []string {
	const ended = `job_id IN (SELECT id FROM import_jobs WHERE completed_at IS NOT NULL)`
	return []string{
		`UPDATE import_row_results AS r
		SET faults = (SELECT coalesce(jsonb_agg((f - 'value') || '{"message": "Erased."}'), '[]') FROM jsonb_array_elements(r.faults) AS f)
		WHERE (r.job_id, r.row_number) IN (SELECT * FROM unnest($3::bigint[], $4::bigint[])) OR lower(r.faults::text) LIKE ANY ($2)
		   OR EXISTS (SELECT FROM jsonb_array_elements(r.faults) AS f WHERE lower(f ->> 'value') = ANY ($1))`,
		`DELETE FROM import_row_corrections
		WHERE (job_id, row_number) IN (SELECT * FROM unnest($3::bigint[], $4::bigint[])) OR lower(value #>> '{}') = ANY ($1) OR lower(value #>> '{}') LIKE ANY ($2)`,
		`UPDATE import_column_mappings
		SET samples = '{}'
		WHERE EXISTS (SELECT FROM unnest(samples) AS s WHERE lower(s) = ANY ($1) OR lower(s) LIKE ANY ($2))`,
		`DELETE FROM import_cell_mappings
		WHERE ` + ended + ` AND (lower(source_value) = ANY ($1) OR lower(target_value) = ANY ($1) OR lower(source_value) LIKE ANY ($2))`,
		`DELETE FROM import_cell_decisions WHERE lower(source_value) = ANY ($1) OR lower(source_value) LIKE ANY ($2)`,
		`DELETE FROM import_last_rows WHERE lower(last_rows::text) LIKE ANY ($2) OR job_id = ANY ($3)`,
		`UPDATE import_given_mappings SET document = ` + withoutValues("document"),
		`UPDATE import_profile_versions SET mapping = ` + withoutValues("mapping"),
		`UPDATE import_jobs
		SET warnings = ARRAY(SELECT w FROM unnest(warnings) AS w WHERE NOT lower(w) LIKE ANY ($2)),
		    failure_message = CASE WHEN lower(failure_message) LIKE ANY ($2) THEN 'Erased.' ELSE failure_message END
		WHERE lower(warnings::text) LIKE ANY ($2) OR lower(failure_message) LIKE ANY ($2)`,
	}
}

// withoutValues is a mapping, as a document, without what it says of the values, and its
// column's condition: that it says something of one.
func withoutValues(column string) string {
	return strings.ReplaceAll(`jsonb_set(%, '{values}', (
			SELECT coalesce(jsonb_agg(v), '[]')
			FROM jsonb_array_elements(% -> 'values') AS v
			WHERE NOT (lower(v ->> 'value') = ANY ($1) OR lower(v ->> 'value') LIKE ANY ($2))
		))
		WHERE jsonb_typeof(% -> 'values') = 'array'
		  AND EXISTS (SELECT FROM jsonb_array_elements(% -> 'values') AS v WHERE lower(v ->> 'value') = ANY ($1) OR lower(v ->> 'value') LIKE ANY ($2))`, "%", column)
}

// minPart is the least length of a value that is looked for within other texts: shorter
// ones, and numbers of few digits, are parts of too many.
const minPart = 4

// EraseValues removes the values of a person from all that is kept of imports but their
// change sets.
func (db *DB) EraseValues(ctx context.Context, tx pgx.Tx, t *Traces) error {
	values, patterns := slices.Sorted(maps.Keys(t.values)), []string{}
	for _, v := range values {
		if len(v) >= minPart {
			patterns = append(patterns, "%"+strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(v)+"%")
		}
	}
	keys, rows := []int64{}, []int64{}
	for at := range t.rows {
		keys, rows = append(keys, at[0]), append(rows, at[1])
	}
	for _, sql := range erasures() {
		// Each statement names those of the four that it needs; Postgres wants to know the
		// types of all.
		const all = `WITH given AS (SELECT $1::text[], $2::text[], $3::bigint[], $4::bigint[]) `
		if _, err := tx.Exec(ctx, all+sql, values, patterns, keys, rows); err != nil {
			return fmt.Errorf("erase values: %w", err)
		}
	}
	return nil
}

// PurgeFilesSoon has the next purge delete the files of all imports and exports of the
// organisation that have ended, and returns how many imports have not.
func (db *DB) PurgeFilesSoon(ctx context.Context, tx pgx.Tx) (open int64, err error) {
	if _, err = tx.Exec(ctx, `UPDATE import_jobs SET files_due = true WHERE completed_at IS NOT NULL AND NOT files_purged`); err == nil {
		_, err = tx.Exec(ctx, `UPDATE export_jobs SET purge_due = true WHERE completed_at IS NOT NULL`)
	}
	if err == nil {
		err = tx.QueryRow(ctx, `SELECT count(*) FROM import_jobs WHERE completed_at IS NULL`).Scan(&open)
	}
	if err != nil {
		return 0, fmt.Errorf("have files purged: %w", err)
	}
	return open, nil
}
