package simulation

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/quota"
	"github.com/loadbay/loadbay/shared/submit"
	"github.com/loadbay/loadbay/shared/telemetry"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
	"github.com/loadbay/loadbay/shared/undo"
)

// undos are the undos that are possible: of what has ended, has changed something, and is
// not undone already.
func (l *life) undos() []deed {
	var out []deed
	for _, i := range l.imports {
		if i.ended && i.job.Parts() > 0 && !i.preview && !i.nothing && !i.undone() && l.world.Decided(i.job) {
			out = append(out, deed{2, func(ctx context.Context) error { return l.undo(ctx, i, false) }})
			out = append(out, deed{1, func(ctx context.Context) error { return l.undo(ctx, i, true) }})
		}
	}
	return out
}

// undone reports whether an undo of it is in force.
func (i *imported) undone() bool {
	return slices.ContainsFunc(i.undos, func(u *imported) bool { return !u.undone() })
}

// undo has what an import, or an undo, has changed taken back, or looks at what would
// become of it.
func (l *life) undo(ctx context.Context, of *imported, preview bool) error {
	u := &imported{preview: preview, undoes: of, job: &history.Job{Name: fmt.Sprintf("undo %d of %s", len(l.imports)+1, of.name())}}
	submitted, err := of.submitter()
	if err != nil {
		return err
	}
	accepted, err := submitted.Undo(ctx, submit.UndoRequest{Ref: of.ref, RequestID: "lived", Mode: undo.Safe, Preview: preview, Uploader: "lived"})
	if problem.CodeOf(err) == problem.UndoNothing {
		l.act("%s has changed nothing", of.name())
		of.nothing = true
		return nil
	}
	if err != nil {
		l.say("%s cannot be undone: %v", of.name(), err)
		return nil
	}
	l.act("%s, preview %t", u.name(), preview)
	if u.play, err = l.newPlay(l.Rand, l.ref(string(accepted.Job.ID)), of.script.Type, 1); err != nil {
		return err
	}
	l.imports = append(l.imports, u)
	if !preview {
		of.undos = append(of.undos, u)
		l.undone++
	}
	return l.takeBack(ctx, u)
}

// takeBack lets an undo go on, which may die meanwhile, until it has ended, and then
// applies it to the model.
func (l *life) takeBack(ctx context.Context, u *imported) error {
	u.runThrough(ctx)
	l.acts = append(l.acts, u.acts...)
	l.found, u.found = append(l.found, u.found...), nil
	j, err := u.play.job(ctx)
	if err != nil {
		return err
	}
	if u.ended = true; j.Status != job.Completed {
		l.say("%s is %s, and its execution in %q: %v", u.name(), j.Status, u.cloud.execution.state, j.Failure)
		return nil
	}
	if u.preview {
		return l.compare(ctx, nil)
	}
	u.undoes.job.Undone(l.world, u.job)
	return l.compare(ctx, u.job)
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
