package bench

import (
	"context"
	"fmt"
	"strings"
)

// measureManualUpsert measures a hand-written upsert of rows that all exist: from staging
// tables, by two concurrent statements, into a table that has been updated once, like the
// subject's. \copy into an empty table is not comparable with an upsert.
func (b *bench) measureManualUpsert(ctx context.Context, subj benchTable, rows int) (m timedUsage, err error) {
	if err := b.createTableLike(ctx, subj, peerTable); err != nil {
		return m, err
	}
	columns := strings.Join(subj.sheet.Columns, ", ")
	sql := fmt.Sprintf(`
		INSERT INTO %[1]s SELECT * FROM %[2]s;
		UPDATE %[1]s SET %[3]s = 'Another one';
		DROP TABLE IF EXISTS bench_stage_1, bench_stage_2;
		CREATE UNLOGGED TABLE bench_stage_1 AS SELECT %[4]s FROM %[2]s WITH NO DATA;
		CREATE UNLOGGED TABLE bench_stage_2 AS SELECT %[4]s FROM %[2]s WITH NO DATA;`, peerTable, subj.tableName, subj.textColumn, columns)
	if _, err := b.database.Exec(ctx, sql); err != nil {
		return m, fmt.Errorf("bench: create tables for manual upsert: %w", err)
	}
	halves, err := b.writeHalves(subj, rows)
	if err != nil {
		return m, err
	}
	var statements []string
	for i, half := range halves {
		stage := fmt.Sprintf("bench_stage_%d", i+1)
		if err := b.copyFiles(ctx, subj, stage, half); err != nil {
			return m, err
		}
		statements = append(statements, fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s ON CONFLICT (organisation_id, %s) DO UPDATE SET %s",
			peerTable, columns, columns, stage, subj.key, subj.assignments()))
	}
	for _, table := range []string{peerTable, "bench_stage_1", "bench_stage_2"} {
		if _, err := b.database.Exec(ctx, "VACUUM ANALYZE "+table); err != nil {
			return m, fmt.Errorf("bench: create tables for manual upsert: %w", err)
		}
	}
	if m, err = b.meter.measure(ctx, func() error { return b.psql(ctx, statements...) }); err != nil {
		return m, err
	}
	_, err = b.database.Exec(ctx, "DROP TABLE bench_stage_1, bench_stage_2, "+peerTable)
	return m, err
}

// assignments returns the SET list of an upsert.
func (s benchTable) assignments() string {
	var set []string
	for _, column := range s.sheet.Columns {
		if column != s.key {
			set = append(set, column+" = excluded."+column)
		}
	}
	return strings.Join(set, ", ")
}
