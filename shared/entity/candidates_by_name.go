package entity

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// CandidatesByName returns what a query of ids and names (int8, text) finds, by the names
// in lower case: that is how files call it.
func CandidatesByName(ctx context.Context, tx pgx.Tx, sql string, args ...any) (map[string]Candidate, error) {
	rows, err := tx.Query(ctx, sql, args...)
	if err != nil {
		return nil, fmt.Errorf("look up names: %w", err)
	}
	found := make(map[string]Candidate)
	var c Candidate
	_, err = pgx.ForEachRow(rows, []any{&c.ID, &c.Name}, func() error {
		found[strings.ToLower(c.Name)] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look up names: %w", err)
	}
	return found, nil
}
