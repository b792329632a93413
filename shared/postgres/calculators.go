package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/points"
)

// PointsCalculators returns the organisation's calculators by code.
func (db *DB) PointsCalculators(ctx context.Context, tx pgx.Tx) ([]points.Calculator, error) {
	rows, err := tx.Query(ctx, `SELECT definition FROM points_calculators ORDER BY code`)
	if err != nil {
		return nil, fmt.Errorf("load points calculators: %w", err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[points.Calculator])
	if err != nil {
		return nil, fmt.Errorf("load points calculators: %w", err)
	}
	return all, nil
}

// SavePointsCalculators replaces the organisation's calculators.
func (db *DB) SavePointsCalculators(ctx context.Context, tx pgx.Tx, all []points.Calculator) error {
	batch := &pgx.Batch{}
	// Concurrent replacements are serialised.
	batch.Queue(`SELECT pg_advisory_xact_lock(hashtextextended('points_calculators ' || current_organisation(), 0))`)
	batch.Queue(`DELETE FROM points_calculators`)
	for _, c := range all {
		batch.Queue(`
			INSERT INTO points_calculators (organisation_id, code, class_name, definition)
			VALUES (current_organisation(), $1, nullif($2, ''), $3)`, c.Code, c.ClassName, c)
	}
	if err := tx.SendBatch(ctx, batch).Close(); err != nil {
		return fmt.Errorf("save %d points calculators: %w", len(all), err)
	}
	return nil
}

// OptionValue returns the result of an option's query for a text; "" for no result.
func (db *DB) OptionValue(ctx context.Context, tx pgx.Tx, query, text string) (value string, err error) {
	err = tx.QueryRow(ctx, query, text).Scan(&value)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("look up custom option value: %w", err)
	}
	return value, nil
}
