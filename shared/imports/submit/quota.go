package submit

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
)

// Quotas counts what an organisation holds.
type Quotas interface {
	// LockUsage keeps what is counted as it is until the transaction ends.
	LockUsage(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error
	// ImportQuota counts a file whose size is not known as the largest.
	ImportQuota(ctx context.Context, tx pgx.Tx, organisation tenant.ID, id job.ID, most quota.Limits, largest int64) (quota.Imports, error)
}

// takeQuota refuses a job beyond its organisation's quotas. Until the transaction ends,
// the organisation's other jobs wait, so that they see this one.
func (s *Service) takeQuota(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	if err := s.store.LockUsage(ctx, tx, j.OrganisationID); err != nil {
		return err
	}
	return s.checkQuota(ctx, tx, j)
}

// peekQuota is takeQuota without the lock: what will be refused is not stored first.
func (s *Service) peekQuota(ctx context.Context, j *job.Job) error {
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error { return s.checkQuota(ctx, tx, j) })
}

func (s *Service) checkQuota(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	q, err := s.store.ImportQuota(ctx, tx, j.OrganisationID, j.ID, s.limits.Quotas, s.limits.FileBytes)
	if err != nil {
		return err
	}
	if j.SizeBytes == 0 {
		return q.Take(s.limits.FileBytes) // it is fetched; nobody knows yet how large it is
	}
	return q.Take(j.SizeBytes)
}
