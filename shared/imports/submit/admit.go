package submit

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// admit checks a request against the data of its organisation. It returns the job to create
// under that id, and the profile that the job uses; nil if it uses none.
//
// All reads share one transaction, which holds no locks: the transaction that creates the job
// checks again what several requests could exceed together.
func (s *Service) admit(ctx context.Context, r Request, id job.ID) (j *job.Job, profile *job.UsedProfile, err error) {
	err = s.store.InSnapshot(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		completed := r // the transaction may run more than once
		if profile, err = s.complete(ctx, tx, &completed); err != nil {
			return err
		}
		j = completed.job(id)
		if r.File.Body == nil {
			return nil
		}
		return s.checkFileQuota(ctx, tx, j, &r) // avoids storing a file that will be rejected
	})
	return j, profile, err
}

// complete checks what the request refers to, fills in its omitted members, and returns the
// profile that it uses; nil if it uses none. The order decides which of several errors is reported.
func (s *Service) complete(ctx context.Context, tx pgx.Tx, r *Request) (*job.UsedProfile, error) {
	if err := s.checkContext(ctx, tx, r); err != nil {
		return nil, err
	}
	if err := s.checkRetryOf(ctx, tx, r); err != nil {
		return nil, err
	}
	if err := s.resolveOptions(ctx, tx, r); err != nil {
		return nil, err
	}
	profile, err := s.applyProfile(ctx, tx, r)
	if err != nil {
		return nil, err
	}
	return profile, s.applyDefaults(ctx, tx, r)
}
