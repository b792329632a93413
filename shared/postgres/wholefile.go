package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/pgtext"
)

// SaveResult stores the result of an import of a whole file, either so far or at its end.
func (db *DB) SaveResult(ctx context.Context, tx pgx.Tx, key job.Key, result json.RawMessage) error {
	_, err := tx.Exec(ctx, `UPDATE import_jobs SET result = $2, updated_at = now() WHERE id = $1`, key, pgtext.SanitizeJSON(result))
	if err != nil {
		return fmt.Errorf("save result of job %d: %w", key, err)
	}
	return nil
}
