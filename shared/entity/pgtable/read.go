package pgtable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// LockTimeout is the value of lock_timeout in transactions about tables of others. It is longer than a
// chunk takes that has locked rows. Behind the owner's lock, functions would wait until their time is
// over, and everybody else's statements on the table would wait behind them.
const LockTimeout = "3s"

// ErrNoTable reports that no relation has the name.
var ErrNoTable = errors.New("table does not exist")

// Read describes a table to the current role, which does not need any privilege on it. The error is
// ErrNoTable if the table does not exist.
func Read(ctx context.Context, tx pgx.Tx, schema, name string) (*Table, error) {
	var answer []byte
	batch := &pgx.Batch{}
	// Settings of the session change how Postgres writes names, types and constants. A savepoint
	// restores them.
	batch.Queue("SAVEPOINT loadbay_catalogue")
	batch.Queue(`
		SELECT
			set_config('search_path', 'pg_catalog', true),
			set_config('timezone', 'UTC', true),
			set_config('datestyle', 'ISO, YMD', true),
			set_config('intervalstyle', 'postgres', true),
			set_config('quote_all_identifiers', 'off', true)`)
	batch.Queue(query, schema, name).QueryRow(func(row pgx.Row) error {
		if err := row.Scan(&answer); !errors.Is(err, pgx.ErrNoRows) {
			return err
		}
		return nil
	})
	batch.Queue("ROLLBACK TO SAVEPOINT loadbay_catalogue")
	batch.Queue("RELEASE SAVEPOINT loadbay_catalogue")
	err := tx.SendBatch(ctx, batch).Close()
	switch {
	case err == nil && answer == nil:
		return nil, fmt.Errorf("%s.%s: %w", schema, name, ErrNoTable)
	case err != nil:
		return nil, fmt.Errorf("read catalogue of %s.%s: %w", schema, name, err)
	}
	var found catalogue
	if err := json.Unmarshal(answer, &found); err != nil {
		return nil, fmt.Errorf("decode catalogue of %s.%s: %w", schema, name, err)
	}
	return found.table(schema, name), nil
}
