// Package migrate updates the database schema, and reseals stored secrets with the current key.
//
// Tested by infra/tests/e2e: every stack migrates its database first.
package migrate

import (
	"context"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/postgres/schema"
)

// Output is the result of the migration.
type Output struct {
	Applied []string `json:"applied"`
	// Sealed is the number of webhook secrets that were unsealed or sealed with an older key.
	Sealed int `json:"sealed"`
}

// Step is the migrate function.
type Step struct {
	administrator *pgx.ConnConfig
	passwords     schema.Passwords
	samples       schema.Samples
	secrets       schema.Resealer
	log           *slog.Logger
}

// New returns the step, which connects as the administrator. On AWS the roles have no passwords.
func New(administrator *pgx.ConnConfig, passwords schema.Passwords, samples schema.Samples, secrets schema.Resealer, log *slog.Logger) *Step {
	return &Step{administrator: administrator, passwords: passwords, samples: samples, secrets: secrets, log: log}
}

// Run applies the pending migrations and the setting SAMPLES, checks the tables of all import types, and seals the secrets
// that need it.
func (s *Step) Run(ctx context.Context) (Output, error) {
	applied, err := schema.Migrate(ctx, s.administrator, schema.Roles(s.passwords))
	if err != nil {
		return Output{}, err
	}
	if err := schema.CheckTypes(ctx, s.administrator, catalog.New().Types()); err != nil {
		return Output{}, err
	}
	installed, err := schema.ChooseSamples(ctx, s.administrator, s.samples)
	if err != nil {
		return Output{}, err
	}
	if installed && s.samples == schema.SamplesOff {
		s.log.WarnContext(ctx, "SAMPLES=off has no effect: this installation has the samples already")
	}
	sealed, err := schema.SealWebhooks(ctx, s.administrator, s.secrets)
	if err != nil {
		return Output{}, err
	}
	s.log.InfoContext(ctx, "schema is up to date", "applied", len(applied), "sealed", sealed)
	return Output{Applied: applied, Sealed: sealed}, nil
}
