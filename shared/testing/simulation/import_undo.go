package simulation

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// undoAll undoes all imports of the run, the last one first, and compares the result with the
// initial data. Entities that are referenced from an earlier import's data are removed when the
// undo is requested again.
func (p *importRun) undoAll(ctx context.Context) error {
	ids, err := p.jobs(ctx, "true")
	if err != nil {
		return err
	}
	for range 2 {
		for n := len(ids) - 1; n >= 0 && len(p.differences) == 0; n-- {
			if err := p.undoJob(ctx, ids[n]); err != nil {
				return err
			}
		}
	}
	after, err := p.camera.Take(ctx, p.admin, p.ref.OrganisationID)
	if err != nil {
		return err
	}
	for _, f := range p.before.Differences(after) {
		p.report("after all was undone: %s", f)
	}
	return nil
}

// jobs returns the imports of the run that meet a condition, in order of creation.
func (p *importRun) jobs(ctx context.Context, are string) ([]job.ID, error) {
	rows, err := p.admin.Query(ctx, `SELECT uuid::text FROM import_jobs WHERE organisation_id = $1 AND `+are+` ORDER BY id`, p.ref.OrganisationID)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[job.ID])
}

// undoJob undoes a job, if there is anything to undo.
func (p *importRun) undoJob(ctx context.Context, id job.ID) error {
	s, err := p.submitter()
	if err != nil {
		return err
	}
	accepted, err := s.Undo(ctx, submit.UndoRequest{Ref: job.Ref{JobID: id, OrganisationID: p.ref.OrganisationID}, RequestID: "undo", Mode: undo.Safe, Uploader: "made up"})
	switch problem.CodeOf(err) {
	case problem.UndoNothing, problem.UndoDone:
		return nil
	}
	if err != nil {
		p.report("%s cannot be undone: %v", id, err)
		return nil
	}
	u, err := p.newRun(p.Rand, job.Ref{JobID: accepted.Job.ID, OrganisationID: p.ref.OrganisationID}, p.script.Type, 1)
	if err != nil {
		return err
	}
	u.runToEnd(ctx)
	p.undos++
	p.record("%s is undone by %s", id, accepted.Job.ID)
	p.trace, p.differences = append(p.trace, u.trace...), append(p.differences, u.differences...)
	j, err := u.job(ctx)
	if err == nil && j.Status != job.Completed {
		p.report("the undo of %s is %s: %v", id, j.Status, j.Failure)
	}
	return err
}
