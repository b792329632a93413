package bench

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// changing is how many percent of a file's rows change what is there, where some do.
const changing = 30

// upserts measures a file that comes again: nothing in it has changed; all of it has, beside the
// same by hand; and then a part has, whose changes are captured or not, in turns. Then it is new
// once more, and not captured.
func (b *bench) upserts(ctx context.Context, subj subject, rows int) error {
	n := int64(rows)
	if err := b.step(ctx, subj, rows, step{"csv", "upsert", "unchanged", rawclient.Summary{Unchanged: n}}); err != nil {
		return err
	}
	if err := b.allChanged(ctx, subj, rows); err != nil {
		return err
	}
	for _, captured := range []bool{true, false, true, false} {
		changed, err := b.change(ctx, subj, changing)
		if err != nil {
			return err
		}
		if err := b.capture(ctx, subj, captured); err != nil {
			return err
		}
		what := fmt.Sprintf("%d %% changed", changing)
		if !captured {
			what += notCaptured
		}
		if err := b.step(ctx, subj, rows, step{"csv", "upsert", what, rawclient.Summary{Updated: changed, Unchanged: n - changed}}); err != nil {
			return err
		}
	}
	if err := b.prepare(ctx, subj); err != nil {
		return err
	}
	if err := b.step(ctx, subj, rows, step{"csv", "insert", "new" + notCaptured, rawclient.Summary{Created: n}}); err != nil {
		return err
	}
	return b.capture(ctx, subj, true)
}

// allChanged measures an upsert that changes every row, and the same written by hand.
func (b *bench) allChanged(ctx context.Context, subj subject, rows int) (err error) {
	if _, err := b.change(ctx, subj, 100); err != nil {
		return err
	}
	if b.peers.hand, err = b.byHand(ctx, subj, rows); err != nil {
		return err
	}
	b.peer(subj, rows, "upsert by hand, all changed", b.peers.hand)
	return b.step(ctx, subj, rows, step{"csv", "upsert", "all changed", rawclient.Summary{Updated: int64(rows)}})
}

const notCaptured = ", no set"

// change gives so many percent of the subject's rows another name, evenly, and returns how many
// these are: the file will change them back.
func (b *bench) change(ctx context.Context, subj subject, percent int) (changed int64, err error) {
	tag, err := b.database.Exec(ctx, fmt.Sprintf(`UPDATE %s SET %s = 'Another one' WHERE source_row %% 100 < $1`, subj.table, subj.title), percent)
	if err != nil {
		return 0, fmt.Errorf("bench: change %s: %w", subj.table, err)
	}
	if _, err := b.database.Exec(ctx, "VACUUM ANALYZE "+subj.table); err != nil {
		return 0, fmt.Errorf("bench: change %s: %w", subj.table, err)
	}
	return tag.RowsAffected(), nil
}

// capture has the changes of the subject's table captured, or not: what imports would cost
// if nobody kept them.
func (b *bench) capture(ctx context.Context, subj subject, on bool) error {
	what := map[bool]string{true: "ENABLE", false: "DISABLE"}[on]
	for _, trigger := range []string{"inserts", "updates", "deletes"} {
		if _, err := b.database.Exec(ctx, fmt.Sprintf("ALTER TABLE %s %s TRIGGER capture_%s", subj.table, what, trigger)); err != nil {
			return fmt.Errorf("bench: %w", err)
		}
	}
	return nil
}

// changeSet is how many bytes the change set of the latest import has.
func (b *bench) changeSet(ctx context.Context) (size int64, err error) {
	err = b.database.QueryRow(ctx, `
		SELECT coalesce(sum(octet_length(data)), 0)
		FROM import_changes
		WHERE job_id = (SELECT max(id) FROM import_jobs)`).Scan(&size)
	if err != nil {
		return 0, fmt.Errorf("bench: change set: %w", err)
	}
	return size, nil
}
