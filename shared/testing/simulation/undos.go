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

// undos are the undos that are possible: of what has ended, has changed something, and is
// not undone already.
func (l *life) undos() []deed {
	var out []deed
	for _, i := range l.imports {
		if !i.ended || i.job.Parts() == 0 || i.preview || i.nothing || i.undone() || i.rivalled() {
			continue
		}
		for _, mode := range []undo.Mode{undo.Safe, undo.Safe, undo.Cascade, undo.Force} {
			if l.world.Decided(i.job, mode == undo.Force) && (mode == undo.Safe || l.mayGoPast(i, mode)) {
				out = append(out, deed{1, func(ctx context.Context) error { return l.undo(ctx, i, mode) }})
			}
		}
		out = append(out, deed{1, func(ctx context.Context) error { return l.previewed(ctx, i, undo.Safe) }})
	}
	return out
}

// mayGoPast reports whether an undo may take back later changes as well. One undo that has
// done so is not gone past by another: which of the two holds, values do not say.
func (l *life) mayGoPast(of *imported, mode undo.Mode) bool {
	later := l.imports[slices.Index(l.imports, of)+1:]
	return !(mode == undo.Force && of.undoes != nil) && !slices.ContainsFunc(later, func(i *imported) bool { return i.mode.Previewed() && !i.preview })
}

// rivalled reports whether it is an undo, and a later one of the same import is in force,
// which is to be undone first: as values are compared, what both have taken back would come
// back already.
func (i *imported) rivalled() bool {
	if i.undoes == nil {
		return false
	}
	n := slices.Index(i.undoes.undos, i)
	return slices.ContainsFunc(i.undoes.undos[n+1:], func(u *imported) bool { return !u.annulled() })
}

// undone reports whether an undo of it is in force: also one that is being made, or undone.
func (i *imported) undone() bool {
	return slices.ContainsFunc(i.undos, func(u *imported) bool { return !u.cancelled && !u.annulled() })
}

// annulled reports whether an undo of it has come to its end, and is in force.
func (i *imported) annulled() bool {
	return slices.ContainsFunc(i.undos, func(u *imported) bool { return u.ended && !u.cancelled && !u.annulled() })
}

// undo has what an import, or an undo, has changed taken back. What takes back more than
// that is refused until somebody has looked at what would become of it.
func (l *life) undo(ctx context.Context, of *imported, mode undo.Mode) error {
	if mode.Previewed() && !of.seen[mode] {
		u, err := l.ask(ctx, of, mode, false, problem.UndoUnpreviewed)
		if err != nil || u != nil || of.nothing {
			return err
		}
		if err := l.previewed(ctx, of, mode); err != nil || len(l.found) > 0 || of.nothing {
			return err
		}
	}
	u, err := l.ask(ctx, of, mode, false, "")
	if err != nil || u == nil {
		return err
	}
	of.undos = append(of.undos, u)
	l.undone[mode]++
	return nil
}

// previewed looks at what would become of an undo.
func (l *life) previewed(ctx context.Context, of *imported, mode undo.Mode) error {
	u, err := l.ask(ctx, of, mode, true, "")
	if err != nil || u == nil {
		return err
	}
	for e := &u.cloud.execution; e.status == running && !e.called && e.token == ""; {
		u.invoke(ctx)
		u.drain(-1, proceed)
	}
	if err := l.compare(ctx, nil); err != nil {
		return err
	}
	if of.seen == nil {
		of.seen = make(map[undo.Mode]bool)
	}
	of.seen[mode] = true
	return l.endedUndo(ctx, u)
}

// ask asks for an undo, or a preview of one, which is to be refused for that reason, or
// not at all. nil is returned where there is none.
func (l *life) ask(ctx context.Context, of *imported, mode undo.Mode, preview bool, refusal problem.Code) (*imported, error) {
	submitted, err := of.submitter()
	if err != nil {
		return nil, err
	}
	accepted, err := submitted.Undo(ctx, submit.UndoRequest{Ref: of.ref, RequestID: "lived", Mode: mode, Preview: preview, Uploader: "lived"})
	switch code := problem.CodeOf(err); {
	case code == problem.UndoNothing:
		l.act("%s has changed nothing", of.name())
		of.nothing = true
		return nil, nil
	case err == nil && refusal != "":
		l.say("%s is undone, and should have been previewed", of.name())
		return nil, nil
	case err != nil && code != refusal:
		l.say("%s cannot be undone: %v", of.name(), err)
		return nil, nil
	case err != nil:
		return nil, nil
	}
	u := &imported{
		preview: preview, undoes: of, mode: mode, commits: make(map[int]int),
		job: &history.Job{Name: fmt.Sprintf("undo %d of %s", len(l.imports)+1, of.name())},
	}
	l.act("%s, %s, preview %t", u.name(), mode, preview)
	if u.play, err = l.newPlay(l.Rand, l.ref(string(accepted.Job.ID)), of.script.Type, 1); err != nil {
		return nil, err
	}
	l.imports = append(l.imports, u)
	u.cloud.execution.start()
	return u, nil
}

// takeBack lets an undo go on for some stretches, in one of which it may die, and applies
// to the model what it has taken back by then.
func (l *life) takeBack(ctx context.Context, u *imported) error {
	for range 1 + l.IntN(4) {
		e := &u.cloud.execution
		switch {
		case len(u.standing) > 0:
			how := proceed
			if l.IntN(8) == 0 {
				how = u.standing[0].fault(verdict(1 + l.IntN(int(disconnect))))
			}
			u.grant(u.standing[:1], how)
		case e.status == running && !e.called && e.token == "":
			u.invoke(ctx)
		}
		l.acts, u.acts = append(l.acts, u.acts...), nil
		l.found, u.found = append(l.found, u.found...), nil
		if err := l.takenBack(ctx, u); err != nil || l.undecided || len(l.found) > 0 {
			return err
		}
	}
	return l.endedUndo(ctx, u)
}

// endedUndo notes that an undo has ended, if it has.
func (l *life) endedUndo(ctx context.Context, u *imported) error {
	j, err := u.play.job(ctx)
	if err != nil {
		return err
	}
	if u.ended = j.Status.Terminal() && u.cloud.execution.status != running && len(u.standing) == 0; !u.ended {
		return nil
	}
	l.act("%s is %s", u.name(), j.Status)
	if u.cancelled = j.Status == job.Cancelled; !u.cancelled && j.Status != job.Completed {
		l.say("%s is %s, and its execution in %q: %v", u.name(), j.Status, u.cloud.execution.state, j.Failure)
	}
	return nil
}

// takenBack applies to the model the parts that an undo has taken back since.
func (l *life) takenBack(ctx context.Context, u *imported) error {
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
		l.takePartBack(u, l.imported(of), part)
		u.commits[chunk] = u.job.Parts() - 1
		return nil
	})
	if err != nil || l.undecided {
		return err
	}
	return l.compare(ctx, u.job)
}

// takePartBack applies to the model that an undo has taken back a part of what a job did.
func (l *life) takePartBack(u, of *imported, part int) {
	commit, force := of.commits[part], u.mode == undo.Force
	if l.undecided = l.undecided || !l.world.DecidedCommit(of.job, commit, force); l.undecided {
		return
	}
	extent := history.Extent{Force: force}
	if u.mode == undo.Cascade {
		extent.Cascade = u.undoes.job
	}
	l.world.UndoCommit(u.job, of.job, commit, extent)
}

// imported is the import, or undo, with that id.
func (l *life) imported(id job.ID) *imported {
	return l.imports[slices.IndexFunc(l.imports, func(i *imported) bool { return i.ref.JobID == id })]
}

// runThrough starts the execution of a job that waits for nobody, and goes on with it until
// it has ended. Some stretch of it may fail.
func (p *play) runThrough(ctx context.Context) {
	p.cloud.execution.start()
	fault, how := -1, proceed
	if p.IntN(2) == 0 {
		fault, how = p.IntN(14), verdict(1+p.IntN(int(disconnect)))
	}
	for e := &p.cloud.execution; e.status == running && !e.called && e.token == ""; {
		p.invoke(ctx)
		p.drain(fault-p.stretches, how)
	}
}

// submitter accepts what a person asks for.
func (p *play) submitter() (*submit.Service, error) {
	log := telemetry.NewLogger(io.Discard, slog.LevelError)
	moves := telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard))
	quotas := quota.Limits{OpenImports: everyJob, AnnouncedBytes: 1 << 40, OpenExports: 1, Streams: 1, RequestsPerMinute: everyJob}
	limits := submit.Limits{FileBytes: 1 << 30, MultipartAbove: 100 << 20, PartBytes: 16 << 20, UploadLifetime: time.Hour, Quotas: quotas}
	return submit.New(p.functions.store, objects{bucket: p.cloud.Bucket}, starter{}, nil, moves, limits, log)
}
