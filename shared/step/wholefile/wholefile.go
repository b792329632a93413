// Package wholefile serves import types that read their file as one, because
// its rows depend on each other.
package wholefile

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/callback"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// Store reads jobs.
type Store interface {
	InOrganisation(ctx context.Context, organisation int64, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, uuid string) (*job.Job, error)
}

// Step is the wholefile function.
type Step struct {
	store Store
}

// New returns the step.
func New(store Store) *Step { return &Step{store: store} }

// Run refuses: no type in the catalogue reads its file as one yet. The state
// that runs it is in place, so that the first such type changes this package only.
func (s *Step) Run(ctx context.Context, ref job.Ref) (callback.Result, error) {
	var j *job.Job
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	if err != nil {
		return callback.Result{}, fmt.Errorf("whole file: %w", err)
	}
	return callback.Result{}, problem.New(problem.TypeUnknown, "%s files are not read as one.", j.ImportType)
}
