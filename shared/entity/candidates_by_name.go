package entity

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// CandidatesByName returns the results of a query of ids and names (int8, text) by name in
// lower case, because files refer to them in any case.
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
