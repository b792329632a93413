package bench

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"golang.org/x/sync/errgroup"
)

// peers are the reference measurements for imports of the same rows, in the same run and
// cluster.
type peers struct {
	singleCopy   timedUsage // psql's \copy of the file into an empty copy of the subject's table
	parallelCopy timedUsage // two concurrent connections with half of the file each, as many as write an import
	manualUpsert timedUsage // a hand-written upsert; zero unless measured
}

// peerRounds is the number of runs per peer; the fastest one counts. The first one in a new
// cluster also creates the files of the write-ahead log, which later writers reuse.
func peerRounds(rows int) int {
	if rows > 1_000_000 {
		return 1
	}
	return 3
}

// measureCopy measures one \copy, and two concurrent ones.
func (b *bench) measureCopy(ctx context.Context, subj benchTable, rows int) (err error) {
	halves, err := b.writeHalves(subj, rows)
	if err != nil {
		return err
	}
	file, err := b.writeSubjectFile(subj, "csv", rows)
	if err != nil {
		return err
	}
	b.peers = peers{}
	if b.peers.singleCopy, err = b.fastestCopy(ctx, subj, rows, file); err != nil {
		return err
	}
	b.peers.parallelCopy, err = b.fastestCopy(ctx, subj, rows, halves...)
	return err
}

// fastestCopy loads the files into one table concurrently, with a connection each.
func (b *bench) fastestCopy(ctx context.Context, subj benchTable, rows int, files ...string) (best timedUsage, err error) {
	for range peerRounds(rows) {
		if err := b.createTableLike(ctx, subj, peerTable); err != nil {
			return best, err
		}
		m, err := b.meter.measure(ctx, func() error { return b.copyFiles(ctx, subj, peerTable, files...) })
		if err != nil {
			return best, err
		}
		if best.took == 0 || m.took < best.took {
			best = m
		}
	}
	_, err = b.database.Exec(ctx, "DROP TABLE "+peerTable)
	return best, err
}

// peerTable is a copy of the subject's table without row level security and triggers.
const peerTable = "bench_copy"

// createTableLike creates an empty table with the subject's columns, keys and storage.
func (b *bench) createTableLike(ctx context.Context, subj benchTable, table string) error {
	var storage string
	err := b.database.QueryRow(ctx, "SELECT coalesce(array_to_string(reloptions, ', '), '') FROM pg_class WHERE oid = $1::regclass", subj.tableName).Scan(&storage)
	if err != nil {
		return fmt.Errorf("bench: read storage of %s: %w", subj.tableName, err)
	}
	sql := fmt.Sprintf(`
		DROP TABLE IF EXISTS %[1]s;
		CREATE TABLE %[1]s (LIKE %[2]s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES);
		ALTER TABLE %[1]s ALTER organisation_id SET DEFAULT 1;`, table, subj.tableName)
	if storage != "" {
		sql += "ALTER TABLE " + table + " SET (" + storage + ");"
	}
	for _, key := range subj.keys {
		sql += "ALTER TABLE " + table + " ADD FOREIGN KEY " + key + ";"
	}
	if _, err := b.database.Exec(ctx, sql); err != nil {
		return fmt.Errorf("bench: create table for \\copy: %w", err)
	}
	return nil
}

// copyFiles loads files into a table concurrently.
func (b *bench) copyFiles(ctx context.Context, subj benchTable, table string, files ...string) error {
	statements := make([]string, len(files))
	for i, file := range files {
		statements[i] = fmt.Sprintf(`\copy %s (%s) FROM '%s' (FORMAT csv, HEADER)`, table, strings.Join(subj.sheet.Columns, ", "), file)
	}
	return b.psql(ctx, statements...)
}

// psql runs statements concurrently, with a connection each.
func (b *bench) psql(ctx context.Context, statements ...string) error {
	var group errgroup.Group
	for _, statement := range statements {
		group.Go(func() error {
			command := exec.CommandContext(ctx, "psql", b.url, "-q", "-v", "ON_ERROR_STOP=1", "-c", statement)
			output, err := command.CombinedOutput()
			if errors.Is(err, exec.ErrNotFound) {
				return errors.New("bench: psql is not installed; it comes with the Debian package postgresql-client")
			}
			if err != nil {
				return fmt.Errorf("bench: psql: %w: %s", err, output)
			}
			return nil
		})
	}
	return group.Wait()
}
