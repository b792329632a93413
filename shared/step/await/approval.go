package await

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// Plans stores what jobs would change.
type Plans interface {
	LockJob(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	SavePlanDigest(ctx context.Context, tx pgx.Tx, key job.Key) error
	// PlannedColumns returns how many entities would get another value, by column.
	PlannedColumns(ctx context.Context, tx pgx.Tx, key job.Key) (map[string]int64, error)
	// PlannedCounts returns how many entities would be created, updated and deleted.
	PlannedCounts(ctx context.Context, tx pgx.Tx, key job.Key) (changeset.Counts, error)
	BeginApply(ctx context.Context, tx pgx.Tx, j *job.Job, by string, onStale job.StalePolicy) error
	Transition(ctx context.Context, tx pgx.Tx, key job.Key, t job.Transition) (job.Status, bool, error)
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// decideApproval decides how a planned job continues. The job waits for approval, or proceeds
// if no approval was requested and it stays within its guards. In the second case no person has
// seen the changes, so stale rows are skipped. A job with more row errors than it allows fails
// with TOO_MANY_ERRORS without asking. Calling decideApproval again changes nothing.
func (s *Step) decideApproval(ctx context.Context, ref job.Ref) error {
	var j *job.Job
	var from job.Status
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		from = ""
		if j, err = s.store.LockJob(ctx, tx, ref.JobID); err != nil {
			return err
		}
		if j.Status != job.Processing || !j.IsPlanning() || !j.Progress.RowsDone() {
			return nil // an earlier attempt has decided, or the job has ended
		}
		if p := j.Progress; j.MaxErrors.Exceeded(p.Counts.Errored, p.TotalRows) { // the execution fails with this error; nothing has been written
			return problem.New(problem.TooManyErrors, "%s", j.MaxErrors.Failure("", p).Message)
		}
		if err := s.store.SavePlanDigest(ctx, tx, j.Key); err != nil {
			return err
		}
		asks, err := s.requiresApproval(ctx, tx, j)
		if err != nil {
			return err
		}
		if !asks {
			return s.store.BeginApply(ctx, tx, j, "", job.SkipStale)
		}
		from, _, err = s.store.Transition(ctx, tx, j.Key, job.Transition{To: job.AwaitingApproval, ExpectedFrom: job.Processing})
		return err
	})
	if err == nil && from != "" {
		s.recorder.Record(ctx, j, from, job.AwaitingApproval)
	}
	return err
}

// requiresApproval reports whether a person must approve the changes of a job.
func (s *Step) requiresApproval(ctx context.Context, tx pgx.Tx, j *job.Job) (bool, error) {
	if j.Plan.Requested || j.Undo != nil && j.Progress.TotalRows > undo.MaxPreviewChanges { // too large to be planned
		return true, nil
	}
	changed := make(map[string]int64)
	if len(j.Plan.Guards.Fields) > 0 {
		kind, err := s.types.Type(ctx, tx, j.OrganisationID, j.ImportType, j.TypeVersion)
		if err != nil {
			return false, err
		}
		columns, err := s.store.PlannedColumns(ctx, tx, j.Key)
		if err != nil {
			return false, err
		}
		for column, entities := range columns {
			changed[kind.Declaration().FieldForColumn(column)] += entities
		}
	}
	counts, err := s.store.PlannedCounts(ctx, tx, j.Key)
	if err != nil {
		return false, err
	}
	progress := j.Progress
	if j.Undo != nil { // its rows are changes, which count as UNDONE
		progress.Counts = job.Counts{Created: int64(counts.Created), Updated: int64(counts.Updated)}
	}
	// A deleted entity loses all its values, so it counts against both guards. No row of a file counts
	// the entities that are deleted because a complete list does not contain them.
	progress.Counts.Created += int64(counts.Deleted)
	progress.Counts.Updated += int64(counts.Deleted)
	return j.Plan.Guards.Exceeded(progress, changed), nil
}
