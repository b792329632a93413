package bench

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/infra/local/client"
)

// changing is how many percent of a file's rows change what is there, where some do.
const changing = 30

// upserts measures a file that comes again: nothing in it has changed, and then a part has,
// whose changes are captured or not, in turns. Then it is new once more, and not captured.
func (b *bench) upserts(ctx context.Context, subj subject, rows int, show func(step) error) error {
	n := int64(rows)
	if err := show(step{"csv", "upsert", "unchanged", client.Summary{Unchanged: n}}); err != nil {
		return err
	}
	for _, captured := range []bool{true, false, true, false} {
		changed, err := b.change(ctx, subj)
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
		if err := show(step{"csv", "upsert", what, client.Summary{Updated: changed, Unchanged: n - changed}}); err != nil {
			return err
		}
	}
	if err := b.prepare(ctx, subj); err != nil {
		return err
	}
	if err := show(step{"csv", "insert", "new" + notCaptured, client.Summary{Created: n}}); err != nil {
		return err
	}
	return b.capture(ctx, subj, true)
}

const notCaptured = ", no set"

// change gives some of the subject's rows another name, evenly, and returns how many: the
// file will change these back.
func (b *bench) change(ctx context.Context, subj subject) (changed int64, err error) {
	tag, err := b.database.Exec(ctx, fmt.Sprintf(`UPDATE %s SET %s = 'Another one' WHERE source_row %% 100 < $1`, subj.table, subj.title), changing)
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
