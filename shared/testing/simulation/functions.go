package simulation

import (
	"context"
	"io"
	"log/slog"
	"time"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/cancel"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/step/await"
	"github.com/loadbay/loadbay/shared/step/complete"
	"github.com/loadbay/loadbay/shared/step/deadletter"
	"github.com/loadbay/loadbay/shared/step/fail"
	"github.com/loadbay/loadbay/shared/step/process"
	"github.com/loadbay/loadbay/shared/step/purge"
	"github.com/loadbay/loadbay/shared/step/reconcile"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/step/split"
	"github.com/loadbay/loadbay/shared/step/undo"
	"github.com/loadbay/loadbay/shared/step/wholefile"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// functions are the steps of the functions, and the services that a person uses.
type functions struct {
	store      *store
	analyze    *analyze.Step
	await      *await.Step
	resolve    *resolve.Step
	split      *split.Step
	process    *process.Step
	wholeFile  *wholefile.Step
	complete   *complete.Step
	fail       *fail.Step
	deadletter *deadletter.Step
	reconcile  *reconcile.Step
	purge      *purge.Step // for waiting imports
	purgeEnded *purge.Step // for ended imports
	review     *review.Service
	reading    *reading.Service
	cancel     *cancel.Service
	// isWholeFile handles whole-file imports and undos.
	isWholeFile func(ctx context.Context, ref job.Ref) (callback.Result, error)
}

// buildFunctions builds the functions as their main packages do, with the cloud in memory.
func (p *importRun) buildFunctions() (*functions, error) {
	log := telemetry.NewLogger(io.Discard, slog.LevelError)
	metrics := telemetry.NewMetrics(io.Discard)
	moves := telemetry.NewTransitions(log, metrics)
	types, limits := catalog.New(), sheet.DefaultLimits()
	db := &store{DB: p.db, forgottenValue: p.plan.forgottenValue, changes: &p.transactions}
	maintained := &store{DB: p.maintenance, changes: &p.transactions}
	nobody := runStore{maintained, func(j *job.Job) bool { return j.ID == p.ref.JobID }}
	organisation := runStore{maintained, func(j *job.Job) bool { return j.OrganisationID == p.ref.OrganisationID }}
	caller := callback.New(p.cloud, p.cloud)
	rows := callback.NewRowsCompleter(db, caller)
	f := &functions{
		store:      db,
		analyze:    analyze.New(db, p.cloud, types, moves, limits, log),
		await:      await.New(db, p.cloud, caller, types, moves),
		resolve:    resolve.New(forgetfulStore{db}, p.cloud, types, steptest.EventRecorder{Recorder: moves}, limits, log),
		process:    process.New(db, p.cloud, types, rows, moves, metrics, limits, log),
		complete:   complete.New(db, catalog.New(), moves, metrics, log),
		fail:       fail.New(db, moves, log),
		deadletter: deadletter.New(db, p.cloud, rows, moves, metrics, limits, log),
		review:     review.New(db, types, caller, moves, log),
		reading:    reading.New(db, p.cloud, caller, moves, limits, log),
		cancel:     cancel.New(db, p.cloud, moves, log),
	}
	var err error
	if f.split, err = split.New(db, p.cloud, p.cloud, types, split.Config{ChunkRows: p.script.ChunkRows}, limits, log); err != nil {
		return nil, err
	}
	if f.wholeFile, err = wholefile.New(db, p.cloud, types, metrics, wholefile.Config{PartRows: p.script.ChunkRows, Reserve: time.Minute}, limits, log); err != nil {
		return nil, err
	}
	f.isWholeFile = undo.New(db, types, metrics, time.Minute, log).Intercept(f.wholeFile.Run)
	// The stuck threshold is minimal: reconcile checks every job immediately.
	settings := reconcile.Config{Idle: time.Nanosecond, Stuck: time.Hour, Limit: everyJob}
	if f.reconcile, err = reconcile.New(nobody, p.cloud, p.cloud, caller, moves, metrics, settings, log); err != nil {
		return nil, err
	}
	kept := purge.Config{Ended: 1000 * time.Hour, Waiting: time.Nanosecond, Announced: time.Nanosecond, Jobs: everyJob, Rows: 1000, Timeout: time.Minute}
	if f.purge, err = purge.New(nobody, p.cloud, p.cloud, p.cloud, types, moves, metrics, kept, log); err != nil {
		return nil, err
	}
	kept.Ended, kept.Waiting = time.Nanosecond, 1000*time.Hour
	f.purgeEnded, err = purge.New(organisation, p.cloud, p.cloud, p.cloud, noTypes{types}, moves, metrics, kept, log)
	return f, err
}

// noTypes lists no types, so that no job has a longer retention than others.
type noTypes struct{ *catalog.Catalog }

// Types returns none.
func (noTypes) Types() []entity.Type { return nil }
