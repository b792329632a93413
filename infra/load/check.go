package load

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// checkRows compares the database with the imports since begun: each organisation has only its
// own users, without duplicates, and every job's row counts add up.
func checkRows(ctx context.Context, db *pgx.Conn, cfg Config, begun time.Time) error {
	const ofLoad = `organisation_id BETWEEN 9000 AND 10000 + $1`
	rows, err := db.Query(ctx, `
		SELECT organisation_id, count(*), count(DISTINCT (source_job, source_row))
		FROM users WHERE `+ofLoad+` GROUP BY 1`, cfg.Tenants)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	found := map[int64]int64{}
	var organisation, users, sources int64
	_, err = pgx.ForEachRow(rows, []any{&organisation, &users, &sources}, func() error {
		if users != sources {
			return fmt.Errorf("organisation %d has %d users of %d rows", organisation, users, sources)
		}
		found[organisation] = users
		return nil
	})
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	if found[largeTenant] != int64(cfg.Rows) {
		return fmt.Errorf("load: the large import wrote %d users of %d", found[largeTenant], cfg.Rows)
	}
	for i := 1; i <= cfg.Tenants; i++ {
		want := int64(2 * cfg.Files * smallRows)
		if i == 1 {
			want += smallRows // the warm-up
		}
		if got := found[firstTenant+int64(i)]; got != want {
			return fmt.Errorf("load: organisation %d has %d users, not %d", firstTenant+i, got, want)
		}
	}
	var unaccounted int
	err = db.QueryRow(ctx, `
		SELECT count(*) FROM import_jobs
		WHERE `+ofLoad+` AND created_at >= $2
		  AND (status <> 'COMPLETED' OR chunks_done <> chunk_total OR file_lines <> created_count + updated_count + unchanged_count + skipped_count + error_count + blank_lines + header_lines)`,
		cfg.Tenants, begun.Add(-time.Minute)).Scan(&unaccounted)
	if err != nil {
		return fmt.Errorf("load: %w", err)
	}
	if unaccounted > 0 {
		return fmt.Errorf("load: %d jobs do not account for every line of their files", unaccounted)
	}
	return nil
}
