package bench

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// changedPercent is the percentage of rows that change existing data in files with changes.
const changedPercent = 30

// measureUpserts measures repeated imports of a file: without changes; with changes in every
// row, next to a hand-written upsert; and with some changes, alternating between captured and
// not captured. Finally it imports new rows without capture.
func (b *bench) measureUpserts(ctx context.Context, subj benchTable, rows int) error {
	n := int64(rows)
	if err := b.runStep(ctx, subj, rows, step{"csv", "upsert", "unchanged", rawclient.Summary{Unchanged: n}}); err != nil {
		return err
	}
	if err := b.upsertAllChanged(ctx, subj, rows); err != nil {
		return err
	}
	for _, captured := range []bool{true, false, true, false} {
		changed, err := b.changeRows(ctx, subj, changedPercent)
		if err != nil {
			return err
		}
		if err := b.setCapture(ctx, captured); err != nil {
			return err
		}
		what := fmt.Sprintf("%d %% changed", changedPercent)
		if !captured {
			what += notCaptured
		}
		if err := b.runStep(ctx, subj, rows, step{"csv", "upsert", what, rawclient.Summary{Updated: changed, Unchanged: n - changed}}); err != nil {
			return err
		}
	}
	if err := b.resetTable(ctx, subj); err != nil {
		return err
	}
	if err := b.runStep(ctx, subj, rows, step{"csv", "insert", "new" + notCaptured, rawclient.Summary{Created: n}}); err != nil {
		return err
	}
	return b.setCapture(ctx, true)
}

// upsertAllChanged measures an upsert that changes every row, and a hand-written one.
func (b *bench) upsertAllChanged(ctx context.Context, subj benchTable, rows int) (err error) {
	if _, err := b.changeRows(ctx, subj, 100); err != nil {
		return err
	}
	if b.peers.manualUpsert, err = b.measureManualUpsert(ctx, subj, rows); err != nil {
		return err
	}
	b.printPeer(subj, rows, "upsert by hand, all changed", b.peers.manualUpsert)
	return b.runStep(ctx, subj, rows, step{"csv", "upsert", "all changed", rawclient.Summary{Updated: int64(rows)}})
}

const notCaptured = ", no set"

// changeRows renames the given percentage of the subject's rows, evenly distributed, and returns
// their number: the file will change them back.
func (b *bench) changeRows(ctx context.Context, subj benchTable, percent int) (changed int64, err error) {
	tag, err := b.database.Exec(ctx, fmt.Sprintf(`UPDATE %s SET %s = 'Another one' WHERE source_row %% 100 < $1`, subj.tableName, subj.textColumn), percent)
	if err != nil {
		return 0, fmt.Errorf("bench: change %s: %w", subj.tableName, err)
	}
	if _, err := b.database.Exec(ctx, "VACUUM ANALYZE "+subj.tableName); err != nil {
		return 0, fmt.Errorf("bench: change %s: %w", subj.tableName, err)
	}
	return tag.RowsAffected(), nil
}

// setCapture switches the capture of changes on or off for new imports, to measure its cost.
func (b *bench) setCapture(ctx context.Context, on bool) error {
	settings := `{"undoDays": 0}` // no change set is written
	if on {
		settings = `{"undoDays": null}` // the default
	}
	if err := b.api.Do(ctx, http.MethodPatch, "/api/settings", "application/json", strings.NewReader(settings), nil); err != nil {
		return fmt.Errorf("bench: switch the capture of changes: %w", err)
	}
	return nil
}

// changeSetBytes returns the size of the latest import's change set, in bytes.
func (b *bench) changeSetBytes(ctx context.Context) (size int64, err error) {
	err = b.database.QueryRow(ctx, `
		SELECT coalesce(sum(octet_length(data)), 0)
		FROM import_changes
		WHERE job_id = (SELECT max(id) FROM import_jobs)`).Scan(&size)
	if err != nil {
		return 0, fmt.Errorf("bench: change set: %w", err)
	}
	return size, nil
}
