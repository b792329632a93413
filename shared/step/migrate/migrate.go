// Package migrate brings the database's schema up to date, and what is stored sealed to
// the key that seals now.
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
	// Sealed is how many webhooks had a secret that was not sealed, or with an older key.
	Sealed int `json:"sealed"`
}

// Step is the migrate function.
type Step struct {
	administrator *pgx.ConnConfig
	passwords     schema.Passwords
	secrets       schema.Resealer
	log           *slog.Logger
}

// New returns the step, which connects as the administrator. On AWS the roles have no
// passwords.
func New(administrator *pgx.ConnConfig, passwords schema.Passwords, secrets schema.Resealer, log *slog.Logger) *Step {
	return &Step{administrator: administrator, passwords: passwords, secrets: secrets, log: log}
}

// Run applies the migrations that are missing, and seals what is to be sealed.
func (s *Step) Run(ctx context.Context) (Output, error) {
	applied, err := schema.Migrate(ctx, s.administrator, schema.Roles(s.passwords))
	if err != nil {
		return Output{}, err
	}
	sealed, err := schema.SealWebhooks(ctx, s.administrator, s.secrets)
	if err != nil {
		return Output{}, err
	}
	s.log.InfoContext(ctx, "schema is up to date", "applied", len(applied), "sealed", sealed)
	return Output{Applied: applied, Sealed: sealed}, nil
}
