// Package migrate brings the database's schema up to date.
//
// Tested by infra/tests/e2e: every stack migrates its database first.
package migrate

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/postgres/schema"
)

// Output says what was done.
type Output struct {
	Applied []string `json:"applied"`
}

// Step is the migrate function.
type Step struct {
	administrator *pgx.ConnConfig
	passwords     schema.Passwords
	log           *slog.Logger
}

// New returns the step, which connects as the administrator. On AWS the roles have no
// passwords.
func New(administrator *pgx.ConnConfig, passwords schema.Passwords, log *slog.Logger) *Step {
	return &Step{administrator: administrator, passwords: passwords, log: log}
}

// Run applies the migrations that are missing.
func (s *Step) Run(ctx context.Context) (Output, error) {
	applied, err := schema.Migrate(ctx, s.administrator, schema.Roles(s.passwords))
	if err != nil {
		return Output{}, err
	}
	s.log.InfoContext(ctx, "schema is up to date", "applied", len(applied))
	return Output{Applied: applied}, nil
}
