package result

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/points"
	"github.com/loadbay/loadbay/shared/problem"
)

// customCalculator returns the code of the organisation's calculator that has the text as its code
// or class name.
const customCalculator = `SELECT code FROM points_calculators WHERE code = $1 OR class_name = $1 ORDER BY code <> $1 LIMIT 1`

// standardCalculators returns the codes of the built-in calculators; the first is the default.
func standardCalculators() []string {
	all := points.BuiltIn()
	codes := make([]string, len(all))
	for i, c := range all {
		codes[i] = c.Code
	}
	return codes
}

// loadCalculator returns the calculator with the code. OPTION_INVALID if it does not exist.
func loadCalculator(ctx context.Context, tx pgx.Tx, code string) (*points.Calculator, error) {
	c, err := findCalculator(ctx, tx, code)
	if err == nil && c == nil {
		err = problem.New(problem.OptionInvalid, "Points calculator %q no longer exists.", code)
	}
	return c, err
}

// findCalculator returns the calculator with the code, or nil. The organisation's own calculators
// have priority over built-in ones.
func findCalculator(ctx context.Context, tx pgx.Tx, code string) (*points.Calculator, error) {
	var own points.Calculator
	err := tx.QueryRow(ctx, `SELECT definition FROM points_calculators WHERE code = $1`, code).Scan(&own)
	switch {
	case err == nil:
		return &own, nil
	case !errors.Is(err, pgx.ErrNoRows):
		return nil, fmt.Errorf("points calculator %s: %w", code, err)
	}
	return points.Find(points.BuiltIn(), code), nil
}
