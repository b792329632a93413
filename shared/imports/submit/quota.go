package submit

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
)

// QuotaStore counts what an organisation holds.
type QuotaStore interface {
	// LockQuotas keeps what is counted as it is until the transaction ends.
	LockQuotas(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error
	// ImportQuota counts a file whose size is not known as the largest.
	ImportQuota(ctx context.Context, tx pgx.Tx, organisation tenant.ID, id job.ID, most quota.Limits, largest int64) (quota.Imports, error)
}

// checkQuotaLocked refuses a job beyond its organisation's quotas. Until the transaction ends,
// the organisation's other jobs wait, so that they see this one.
func (s *Service) checkQuotaLocked(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	if err := s.store.LockQuotas(ctx, tx, j.OrganisationID); err != nil {
		return err
	}
	return s.checkQuota(ctx, tx, j)
}

// checkQuotaUnlocked is checkQuotaLocked without the lock: what will be refused is not stored first.
func (s *Service) checkQuotaUnlocked(ctx context.Context, j *job.Job) error {
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error { return s.checkQuota(ctx, tx, j) })
}

func (s *Service) checkQuota(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	q, err := s.store.ImportQuota(ctx, tx, j.OrganisationID, j.ID, s.limits.Quotas, s.limits.FileBytes)
	if err != nil {
		return err
	}
	if j.SizeBytes == 0 {
		return q.Check(s.limits.FileBytes) // it is fetched; nobody knows yet how large it is
	}
	return q.Check(j.SizeBytes)
}
