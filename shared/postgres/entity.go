package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/loadbay/loadbay/shared/changeset"
	"github.com/loadbay/loadbay/shared/job"
)

// Entity is one as it stands. Its values are texts as Postgres writes them, nil for NULL, of
// those columns that change sets are about.
type Entity struct {
	Table, ID string
	SourceJob job.Key // that wrote it last; 0 where no import did
	SourceRow int64
	Columns   []string
	Values    []*string
}

// malformed is the class of errors of a text that is no value of the column's type.
const malformed = "22"

// Entity returns the entity of a table with that id, or nil. The table is one whose
// entities have a source.
func (db *DB) Entity(ctx context.Context, tx pgx.Tx, table, id string) (*Entity, error) {
	e := &Entity{Table: table}
	err := tx.QueryRow(ctx, `
		SELECT array_agg(attname ORDER BY attnum)
		FROM pg_attribute
		WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped
		  AND attname <> ALL ('{organisation_id,source_job,source_row,source_cells,source_before}')`, table).Scan(&e.Columns)
	if err != nil {
		return nil, fmt.Errorf("columns of %s: %w", table, err)
	}
	names := make([]string, len(e.Columns))
	for i, name := range e.Columns {
		names[i] = pgx.Identifier{name}.Sanitize()
	}
	var record string
	err = tx.QueryRow(ctx, fmt.Sprintf(`SELECT id::text, coalesce(source_job, 0), coalesce(source_row, 0), ROW(%s)::text FROM %s WHERE id = $1`,
		strings.Join(names, ", "), pgx.Identifier{table}.Sanitize()), id).Scan(&e.ID, &e.SourceJob, &e.SourceRow, &record)
	var refused *pgconn.PgError
	if errors.Is(err, pgx.ErrNoRows) || errors.As(err, &refused) && strings.HasPrefix(refused.Code, malformed) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("entity of %s: %w", table, err)
	}
	if e.Values, err = changeset.ParseRecord(record, len(e.Columns)); err != nil {
		return nil, fmt.Errorf("entity of %s: %w", table, err)
	}
	return e, nil
}
