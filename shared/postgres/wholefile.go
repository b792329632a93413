package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// SaveResult keeps what an import of a whole file has to say so far, or at its
// end.
func (db *DB) SaveResult(ctx context.Context, tx pgx.Tx, jobID int64, result json.RawMessage) error {
	_, err := tx.Exec(ctx, `UPDATE import_jobs SET result = $2, updated_at = now() WHERE id = $1`, jobID, []byte(result))
	if err != nil {
		return fmt.Errorf("save result of job %d: %w", jobID, err)
	}
	return nil
}
