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

// Config says how to reach the database as its administrator, and the
// passwords of the functions' roles; on AWS roles have none.
type Config struct {
	AppPassword         string `env:"LOADBAY_APP_PASSWORD"`
	MaintenancePassword string `env:"LOADBAY_MAINTENANCE_PASSWORD"`
}

// Output says what was done.
type Output struct {
	Applied []string `json:"applied"`
}

// Step is the migrate function.
type Step struct {
	administrator *pgx.ConnConfig
	config        Config
	log           *slog.Logger
}

// New returns the step, which connects as the administrator.
func New(administrator *pgx.ConnConfig, config Config, log *slog.Logger) *Step {
	return &Step{administrator: administrator, config: config, log: log}
}

// Run applies the migrations that are missing.
func (s *Step) Run(ctx context.Context) (Output, error) {
	applied, err := schema.Migrate(ctx, s.administrator, schema.Roles(s.config.AppPassword, s.config.MaintenancePassword))
	if err != nil {
		return Output{}, err
	}
	s.log.InfoContext(ctx, "schema is up to date", "applied", len(applied))
	return Output{Applied: applied}, nil
}
