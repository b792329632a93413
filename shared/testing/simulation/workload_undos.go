package simulation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
)

// undos returns the possible undos: of jobs that have ended, changed anything, and are not undone.
func (l *workload) undos() []operation {
	var out []operation
	for _, i := range l.imports {
		if !i.ended || i.job.Parts() == 0 || i.preview || i.unchanged || i.hasUndo() || i.hasLaterUndo() {
			continue
		}
		for _, mode := range []undo.Mode{undo.Safe, undo.Safe, undo.Cascade, undo.Force} {
			if l.model.IsDetermined(i.job, mode == undo.Force) && (mode == undo.Safe || l.allowsMode(i, mode)) {
				out = append(out, operation{1, func(ctx context.Context) error { return l.undoImport(ctx, i, mode) }})
			}
		}
		out = append(out, operation{1, func(ctx context.Context) error { return l.previewUndo(ctx, i, undo.Safe) }})
	}
	return out
}

// allowsMode reports whether an undo may also revert later changes. A second undo of this kind must
// not bypass the first, because the values do not show which of them is in force.
func (l *workload) allowsMode(of *workloadJob, mode undo.Mode) bool {
	later := l.imports[slices.Index(l.imports, of)+1:]
	return !(mode == undo.Force && of.undoes != nil) && !slices.ContainsFunc(later, func(i *workloadJob) bool { return i.mode.RequiresPreview() && !i.preview })
}

// hasLaterUndo reports whether the job is an undo and a later undo of the same import is in force,
// which must be undone first: since values are compared, values that both have reverted would be
// restored too early.
func (i *workloadJob) hasLaterUndo() bool {
	if i.undoes == nil {
		return false
	}
	n := slices.Index(i.undoes.undos, i)
	return slices.ContainsFunc(i.undoes.undos[n+1:], func(u *workloadJob) bool { return !u.isUndone() })
}

// hasUndo reports whether an undo of the job is in force, running, or being undone.
func (i *workloadJob) hasUndo() bool {
	return slices.ContainsFunc(i.undos, func(u *workloadJob) bool { return !u.cancelled && !u.isUndone() })
}

// isUndone reports whether an undo of the job has ended and is in force.
func (i *workloadJob) isUndone() bool {
	return slices.ContainsFunc(i.undos, func(u *workloadJob) bool { return u.ended && !u.cancelled && !u.isUndone() })
}

// undoImport undoes an import or an undo. A mode that reverts more than that is refused until it
// has been previewed.
func (l *workload) undoImport(ctx context.Context, of *workloadJob, mode undo.Mode) error {
	if mode.RequiresPreview() && !of.previewedModes[mode] {
		u, err := l.requestUndo(ctx, of, mode, false, problem.PreviewRequired)
		if err != nil || u != nil || of.unchanged {
			return err
		}
		if err := l.previewUndo(ctx, of, mode); err != nil || len(l.differences) > 0 || of.unchanged {
			return err
		}
	}
	u, err := l.requestUndo(ctx, of, mode, false, "")
	if err != nil || u == nil {
		return err
	}
	of.undos = append(of.undos, u)
	l.undoCounts[mode]++
	return nil
}

// previewUndo previews an undo.
func (l *workload) previewUndo(ctx context.Context, of *workloadJob, mode undo.Mode) error {
	u, err := l.requestUndo(ctx, of, mode, true, "")
	if err != nil || u == nil {
		return err
	}
	for e := &u.cloud.execution; e.status == running && !e.invoked && e.token == ""; {
		u.invokeState(ctx)
		u.drain(-1, proceed)
	}
	if err := l.compare(ctx, nil); err != nil {
		return err
	}
	if of.previewedModes == nil {
		of.previewedModes = make(map[undo.Mode]bool)
	}
	of.previewedModes[mode] = true
	return l.noteUndoEnd(ctx, u)
}

// requestUndo requests an undo or its preview, and expects the given refusal, if any. It returns
// nil if there is no undo.
func (l *workload) requestUndo(ctx context.Context, of *workloadJob, mode undo.Mode, preview bool, refusal problem.Code) (*workloadJob, error) {
	submitted, err := of.submitter()
	if err != nil {
		return nil, err
	}
	accepted, err := submitted.Undo(ctx, submit.UndoRequest{Ref: of.ref, RequestID: "lived", Mode: mode, Preview: preview, Uploader: "lived"})
	switch code := problem.CodeOf(err); {
	case code == problem.UndoNothing:
		l.record("%s has changed nothing", of.name())
		of.unchanged = true
		return nil, nil
	case err == nil && refusal != "":
		l.report("%s is undone without the required preview", of.name())
		return nil, nil
	case err != nil && code != refusal:
		l.report("%s cannot be undone: %v", of.name(), err)
		return nil, nil
	case err != nil:
		return nil, nil
	}
	u := &workloadJob{
		preview: preview, undoes: of, mode: mode, commits: make(map[int]int),
		job: &history.Job{Name: fmt.Sprintf("undo %d of %s", len(l.imports)+1, of.name())},
	}
	l.record("%s, %s, preview %t", u.name(), mode, preview)
	if u.importRun, err = l.newRun(l.Rand, l.ref(string(accepted.Job.ID)), of.script.Type, 1); err != nil {
		return nil, err
	}
	l.imports = append(l.imports, u)
	u.cloud.execution.start()
	return u, nil
}

// advanceUndo runs some steps of an undo, in one of which it may die, and applies the reverted
// parts to the model.
func (l *workload) advanceUndo(ctx context.Context, u *workloadJob) error {
	for range 1 + l.IntN(4) {
		e := &u.cloud.execution
		switch {
		case len(u.paused) > 0:
			how := proceed
			if l.IntN(8) == 0 {
				how = u.paused[0].possibleFault(taskFault(1 + l.IntN(int(loseConnection))))
			}
			u.resume(u.paused[:1], how)
		case e.status == running && !e.invoked && e.token == "":
			u.invokeState(ctx)
		}
		l.trace, u.trace = append(l.trace, u.trace...), nil
		l.differences, u.differences = append(l.differences, u.differences...), nil
		if err := l.applyUndoneParts(ctx, u); err != nil || l.undetermined || len(l.differences) > 0 {
			return err
		}
	}
	return l.noteUndoEnd(ctx, u)
}

// noteUndoEnd records the end of an undo, if it has ended.
func (l *workload) noteUndoEnd(ctx context.Context, u *workloadJob) error {
	j, err := u.importRun.job(ctx)
	if err != nil {
		return err
	}
	if u.ended = j.Status.Terminal() && u.cloud.execution.status != running && len(u.paused) == 0; !u.ended {
		return nil
	}
	l.record("%s is %s", u.name(), j.Status)
	if u.cancelled = j.Status == job.Cancelled; !u.cancelled && j.Status != job.Completed {
		l.report("%s is %s, and its execution in %q: %v", u.name(), j.Status, u.cloud.execution.state, j.Failure)
	}
	return nil
}

// applyUndoneParts applies the newly reverted parts of an undo to the model.
func (l *workload) applyUndoneParts(ctx context.Context, u *workloadJob) error {
	if u.preview {
		return l.compare(ctx, nil)
	}
	rows, err := l.admin.Query(ctx, `
		SELECT c.chunk_index, o.uuid::text, s.chunk_index
		FROM import_jobs AS j
		JOIN import_chunks AS c ON c.job_id = j.id AND c.done
		JOIN import_changes AS s ON s.organisation_id = j.organisation_id AND s.place = c.byte_offset
		JOIN import_jobs AS o ON o.id = s.job_id
		WHERE j.uuid = $1 AND c.chunk_index >= $2
		ORDER BY 1`, u.ref.JobID, len(u.commits))
	if err != nil {
		return err
	}
	var chunk, part int
	var of job.ID
	_, err = pgx.ForEachRow(rows, []any{&chunk, &of, &part}, func() error {
		l.applyUndoneCommit(u, l.jobByID(of), part)
		u.commits[chunk] = u.job.Parts() - 1
		return nil
	})
	if err != nil || l.undetermined {
		return err
	}
	return l.compare(ctx, u.job)
}

// applyUndoneCommit applies one reverted part of a job to the model.
func (l *workload) applyUndoneCommit(u, of *workloadJob, part int) {
	commit, force := of.commits[part], u.mode == undo.Force
	if l.undetermined = l.undetermined || !l.model.IsCommitDetermined(of.job, commit, force); l.undetermined {
		return
	}
	extent := history.UndoScope{Force: force}
	if u.mode == undo.Cascade {
		extent.Cascade = u.undoes.job
	}
	l.model.UndoCommit(u.job, of.job, commit, extent)
}

// jobByID returns the import or undo with that id.
func (l *workload) jobByID(id job.ID) *workloadJob {
	return l.imports[slices.IndexFunc(l.imports, func(i *workloadJob) bool { return i.ref.JobID == id })]
}

// runToEnd starts the execution of a job without questions, and runs it until it has ended. One of
// its steps may fail.
func (p *importRun) runToEnd(ctx context.Context) {
	p.cloud.execution.start()
	fault, how := -1, proceed
	if p.IntN(2) == 0 {
		fault, how = p.IntN(14), taskFault(1+p.IntN(int(loseConnection)))
	}
	for e := &p.cloud.execution; e.status == running && !e.invoked && e.token == ""; {
		p.invokeState(ctx)
		p.drain(fault-p.steps, how)
	}
}

// submitter returns the service that accepts a person's requests.
func (p *importRun) submitter() (*submit.Service, error) {
	log := telemetry.NewLogger(io.Discard, slog.LevelError)
	moves := telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard))
	quotas := quota.Limits{OpenImports: everyJob, AnnouncedBytes: 1 << 40, OpenExports: 1, Streams: 1, RequestsPerMinute: everyJob}
	limits := submit.Limits{FileBytes: 1 << 30, MultipartAbove: 100 << 20, PartBytes: 16 << 20, UploadLifetime: time.Hour, Quotas: quotas}
	return submit.New(p.functions.store, objectHeads{bucket: p.cloud.Bucket}, noStarter{}, nil, moves, limits, log)
}
