package submit

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
)

// QuotaStore counts what an organisation uses of its quotas.
type QuotaStore interface {
	// LockQuotas prevents changes of the counted rows until the transaction ends.
	LockQuotas(ctx context.Context, tx pgx.Tx, organisation tenant.ID) error
	// ImportQuota counts a file of unknown size as one of the largest size.
	ImportQuota(ctx context.Context, tx pgx.Tx, organisation tenant.ID, id job.ID, most quota.Limits, largest int64) (quota.Imports, error)
}

// checkQuotaLocked rejects a job without a file of its own that exceeds its organisation's quotas.
// Until the transaction ends, the organisation's other jobs wait, so that they see this one.
func (s *Service) checkQuotaLocked(ctx context.Context, tx pgx.Tx, j *job.Job) error {
	if err := s.store.LockQuotas(ctx, tx, j.OrganisationID); err != nil {
		return err
	}
	q, err := s.importQuota(ctx, tx, j)
	if err != nil {
		return err
	}
	return q.Check(j.SizeBytes)
}

// checkFileQuotaLocked is checkQuotaLocked for the job of a request with a new file.
func (s *Service) checkFileQuotaLocked(ctx context.Context, tx pgx.Tx, j *job.Job, r *Request) error {
	if err := s.store.LockQuotas(ctx, tx, j.OrganisationID); err != nil {
		return err
	}
	return s.checkFileQuota(ctx, tx, j, r)
}

// checkFileQuota is checkFileQuotaLocked without the lock.
func (s *Service) checkFileQuota(ctx context.Context, tx pgx.Tx, j *job.Job, r *Request) error {
	q, err := s.importQuota(ctx, tx, j)
	if err != nil {
		return err
	}
	size := j.SizeBytes
	if size == 0 {
		size = s.limits.FileBytes // to be fetched; its size is unknown
	}
	return q.CheckFile(size, int64(len(r.Mapping)))
}

func (s *Service) importQuota(ctx context.Context, tx pgx.Tx, j *job.Job) (quota.Imports, error) {
	return s.store.ImportQuota(ctx, tx, j.OrganisationID, j.ID, s.limits.Quotas, s.limits.FileBytes)
}
