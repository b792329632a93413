// Package simulation is deterministic simulation testing of imports: it runs the real steps on a real
// Postgres, with in-memory fakes of the cloud services, under a scheduler that takes from a seed what
// runs next and what fails. A simulated person decides, sends a confirmation twice, starts or cancels;
// chunks are delivered twice and out of order; processes crash before or after a commit; the
// reconcile and purge jobs run at any time. Afterwards everything is compared with the expected
// results. Then the person corrects some failed rows, rightly or wrongly, and retries them in one or
// two concurrent imports, and everything is compared again.
//
// An import runs one transaction at a time, so that its seed reproduces it exactly. A workload is
// several imports that run concurrently and conflict in the database; its seed may not reproduce the
// same run.
package simulation

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// Simulator runs imports on one database, one at a time.
type Simulator struct {
	db, maintenance *postgres.DB
	admin           *pgx.Conn
	machine         *machine
	reader          *reader
	camera          *checker.Camera
	workloadCamera  *checker.Camera // for the tables of workloads
	organisation    tenant.ID
}

// NewSimulator returns a simulator on a migrated database, with the connections of the functions,
// of maintenance, and of an administrator.
func NewSimulator(ctx context.Context, db, maintenance *postgres.DB, admin *pgx.Conn) (*Simulator, error) {
	m, err := readMachine()
	if err != nil {
		return nil, err
	}
	r, err := newReader(db)
	if err != nil {
		return nil, err
	}
	c, err := checker.NewCamera(ctx, admin)
	if err != nil {
		return nil, err
	}
	return &Simulator{db: db, maintenance: maintenance, admin: admin, machine: m, reader: r, camera: c, workloadCamera: c.ForTables("users", "articles", "persons", "memberships"), organisation: 1000}, nil
}

// ImportResult is the result of a seed.
type ImportResult struct {
	Import      *generate.Import
	Status      job.Status // "" for a purged import
	Differences []string
	// Retries is the number of retries, and RetriedRows the number of their rows.
	Retries, RetriedRows int
	// Changes is the number of stored changes in all change sets.
	Changes int
	// Undos is the number of imports that were undone.
	Undos int
	// Concurrent means that transactions ran concurrently, so that the seed may not be reproducible.
	Concurrent bool
	// Trace lists the events in order.
	Trace []string
}

// String describes the differences and the import, and how to reproduce them.
func (p *ImportResult) String() string {
	return fmt.Sprintf("seed %d ended as %q with %d differences:\n  %s\n%strace:\n  %s\nreplay it: make test-random SEED=%[1]d",
		p.Import.Seed, p.Status, len(p.Differences), strings.Join(p.Differences, "\n  "), p.Import, strings.Join(p.Trace, "\n  "))
}

// RunImport runs a seed in its own organisation.
func (s *Simulator) RunImport(ctx context.Context, seed uint64) (*ImportResult, error) {
	s.organisation++
	p := &importRun{
		Simulator: s, Rand: rand.New(rand.NewPCG(seed, 0x5eed)), script: generate.New(seed),
		ref:       job.Ref{JobID: job.ID(uuid.NewString()), OrganisationID: s.organisation},
		scheduler: scheduler{events: make(chan *task)},
	}
	p.cloud = &cloud{
		Bucket: steptest.NewBucket(), jobID: p.ref.JobID, tokens: make(map[job.Phase]string), execution: execution{machine: s.machine},
	}
	p.plan = p.drawPlan()
	if p.plan.planned {
		p.script.ChunkRows = max(p.script.ChunkRows, (p.script.Rows()+maxForeignRows-1)/maxForeignRows)
	}
	var err error
	if p.functions, err = p.buildFunctions(); err != nil {
		return nil, err
	}
	if err := p.prepare(ctx); err != nil {
		return nil, fmt.Errorf("seed %d: prepare: %w", seed, err)
	}
	p.run(ctx)
	if err := p.compare(ctx); err != nil {
		return nil, fmt.Errorf("seed %d: compare: %w", seed, err)
	}
	return &ImportResult{Import: p.script, Status: p.ended, Differences: p.differences, Retries: p.retryCount, RetriedRows: p.retriedRowCount, Changes: p.changeCount, Undos: p.undos, Concurrent: p.plan.concurrent, Trace: p.trace}, nil
}

// importRun is the run of one seed.
type importRun struct {
	*Simulator
	*rand.Rand
	scheduler
	script    *generate.Import
	ref       job.Ref
	cloud     *cloud
	functions *functions
	plan      faultPlan

	trace          []string
	differences    []string
	inFlight       map[int]int // number of tasks that process a chunk
	personTasks    int         // number of the person's tasks
	blocked        bool        // the person could not decide, and waits for a change
	turns          int
	idle           int
	cancelledState string // content of the database when the job was cancelled
	ended          job.Status
	sourceKey      string
	before         checker.Snapshot // initial content
	changeCount    int              // number of stored changes
	dryRun         bool             // its writes were rolled back, and no plan has been applied
	undos          int              // number of undone imports

	unconfirmedDecisions atomic.Int64 // number of column decisions without a confirmation
	transactions         atomic.Int64 // number of the tasks' transactions so far
	lastJob              jobState
	lastStatus           jobStatus

	steps int // number of task steps, if tasks run one at a time

	retryCount, retriedRowCount int                   // number of retries and of their rows
	finished                    bool                  // the run has ended
	retryRequest                func(context.Context) // the person's action at turn retryAt
}

// jobState is the job as read after that number of changes.
type jobState struct {
	changes int64
	job     *job.Job
	err     error
}

// jobStatus is the status as read after that number of changes.
type jobStatus struct {
	changes int64
	status  job.Status
	known   bool
}

// faultPlan contains the faults of a run, and the person's actions other than decisions.
type faultPlan struct {
	faults              int // number of tasks that are made to fail
	duplicateDeliveries int // number of messages that are delivered twice
	concurrent          bool
	cancelAt            int  // the turn at which the person cancels; 0 for never
	purgeAt             int  // the turn at which waiting imports are purged; 0 for never
	reconciles          int  // number of times that reconcile runs although other actions are possible
	duplicateDecisions  int  // number of decisions that are made twice
	reanalyses          int  // number of reanalyses that the person requests
	poison              int  // the chunk that can never be processed; -1 for none
	poisonOnApply       bool // it only fails when the plan is applied
	forgottenValue      string
	maxErrors           job.ErrorLimit // the error limit of the import
	purgeEnded          bool
	retryAt             int  // the turn at which a further retry is requested; 0 for never
	startSkipped        bool // the creator of the job does not start the execution
	profile             profileChoice
	planned             bool // the import is planned first, and applied after the person has seen the plan
}

// maxForeignRows is the maximum number of rows of other chunks that a chunk of a plan decides, as
// a multiple of its own rows. Beyond that, it is not specified which of the rows is written.
const maxForeignRows = 4

func (p *importRun) chance(percent int) bool { return p.IntN(100) < percent }

func (p *importRun) drawPlan() faultPlan {
	out := faultPlan{poison: -1}
	if p.chance(70) {
		out.faults = p.IntN(5)
	}
	if p.script.Unordered {
		out.duplicateDeliveries = p.IntN(4)
		out.concurrent = p.chance(30)
		if p.chance(8) {
			out.poison = p.IntN(3)
		}
	}
	if p.chance(25) {
		out.cancelAt = 1 + p.IntN(60)
	}
	if p.chance(10) {
		out.purgeAt = 1 + p.IntN(40)
	}
	if p.chance(50) {
		out.reconciles, out.duplicateDecisions = p.IntN(4), p.IntN(3)
	}
	if p.chance(40) {
		out.reanalyses = 1 + p.IntN(3)
		p.unconfirmedDecisions.Store(int64(p.IntN(2)))
	}
	if p.chance(30) {
		out.forgottenValue = generate.UnknownValue(p.IntN(100))
	}
	out.purgeEnded = p.chance(25)
	out.profile = p.drawProfile()
	out.planned = !p.script.DryRun && (p.script.AutoStart || p.script.SkipDecisions) && p.chance(30)
	if out.planned && out.poison < 0 && p.chance(10) {
		out.poison, out.poisonOnApply = p.IntN(3), true
	}
	if out.planned && p.script.WholeFile {
		if out.poison, out.poisonOnApply = -1, p.chance(15); out.poisonOnApply { // a plan has one chunk
			out.poison = 0
		}
	}
	if p.chance(20) {
		out.maxErrors = []job.ErrorLimit{"0", "1", "3", "20%", "50%"}[p.IntN(5)]
	}
	return out
}

// prepare creates the organisation, its initial data, the file and the job.
func (p *importRun) prepare(ctx context.Context) error {
	if err := p.createOrganisation(ctx, p.script.SetupSQL()); err != nil {
		return err
	}
	var err error
	if p.before, err = p.camera.Take(ctx, p.admin, p.ref.OrganisationID); err != nil {
		return err
	}
	p.sourceKey = fmt.Sprintf("uploads/%d/%s/source", p.ref.OrganisationID, p.ref.JobID)
	if err := p.cloud.Put(ctx, p.sourceKey, "", p.script.File); err != nil {
		return err
	}
	now := time.Now()
	j := &job.Job{
		ID: p.ref.JobID, OrganisationID: p.ref.OrganisationID, ImportType: p.script.Type, Mode: p.script.Mode,
		AutoStart: p.script.AutoStart, Review: p.script.Review, WholeFile: p.script.WholeFile, SkipMapping: p.script.SkipMapping, DryRun: p.script.DryRun, Filename: p.script.Filename,
		ObjectKey: p.sourceKey, SizeBytes: int64(len(p.script.File)), RequestID: "made up", UploadedAt: &now, Options: []byte(p.script.Options),
		MaxErrors: p.plan.maxErrors,
	}
	if p.plan.planned {
		j.Plan = &job.Plan{Requested: true}
	}
	if p.script.InContext {
		id := generate.ContextID(p.ref.OrganisationID)
		j.ContextID = &id
	}
	p.inFlight = make(map[int]int)
	kept, err := p.createProfile(ctx)
	if err != nil {
		return err
	}
	return p.db.InOrganisation(ctx, p.ref.OrganisationID, func(tx pgx.Tx) error {
		j, err := p.db.CreateJob(ctx, tx, j)
		if err == nil && p.script.Mapping != "" {
			err = p.db.AddSuppliedMapping(ctx, tx, j, json.RawMessage(p.script.Mapping))
		}
		if err != nil {
			return err
		}
		return p.useProfile(ctx, tx, j, kept)
	})
}

// record adds an event to the trace.
func (p *importRun) record(format string, args ...any) {
	p.trace = append(p.trace, fmt.Sprintf("%d: ", p.turns)+fmt.Sprintf(format, args...))
}

func (p *importRun) report(format string, args ...any) {
	p.differences = append(p.differences, fmt.Sprintf(format, args...))
}

// compare compares the results of the import with the expected ones.
func (p *importRun) compare(ctx context.Context) error {
	j, err := p.job(ctx)
	want := checker.Import{JobID: p.ref.JobID, Organisation: p.ref.OrganisationID, ObjectKey: p.sourceKey}
	var fate generate.RowStates
	switch {
	case problem.CodeOf(err) == problem.NotFound:
		want.Purged = true
	case err != nil:
		return err
	default:
		if fate, err = p.expect(ctx, j, &want); err != nil {
			return err
		}
	}
	found, err := checker.Differences(ctx, p.admin, p.cloud, want)
	p.differences = append(p.differences, found...)
	if err == nil && !want.Purged && !p.dryRun && len(p.differences) == 0 {
		want.Tables, err = p.correctAndRetry(ctx, want.Tables, fate)
	}
	if err == nil && !want.Purged && len(p.differences) == 0 {
		err = p.compareChanges(ctx)
	}
	if err == nil && !want.Purged && len(p.differences) == 0 && p.chance(60) {
		if err = p.undoAll(ctx); err == nil && len(p.differences) == 0 {
			want.Tables = nil
		}
	}
	if err != nil || !p.plan.purgeEnded || want.Purged || len(p.differences) > 0 {
		return err
	}
	return p.purgeAndCompare(ctx, want)
}

// expect sets the expected results of the import, up to the point that it reached.
func (p *importRun) expect(ctx context.Context, j *job.Job, want *checker.Import) (generate.RowStates, error) {
	p.ended = j.Status
	fate, err := p.loadRowStates(ctx, j)
	if err != nil {
		return nil, err
	}
	p.dryRun = j.IsPlanning()
	var counts job.Counts
	want.Lines, counts, want.Tables = p.script.Expect(fate)
	want.Counts = &counts
	p.checkErrorLimit(j)
	if j.Status == job.Failed && j.Failure.Code != string(problem.TooManyErrors) {
		p.report("the job failed: %s %s", j.Failure.Code, j.Failure.Message)
	}
	if p.cancelledState == "" {
		return fate, nil
	}
	now, err := p.describeState(ctx)
	if err == nil && now != p.cancelledState {
		p.report("after the cancellation there was %s, now there is %s", p.cancelledState, now)
	}
	return fate, err
}

// checkErrorLimit checks the end of the import against its error limit.
func (p *importRun) checkErrorLimit(j *job.Job) {
	c, stopped := j.Progress, j.Failure != nil && j.Failure.Code == string(problem.TooManyErrors)
	if j.Status != job.Cancelled && stopped != p.plan.maxErrors.Exceeded(c.Counts.Errored, c.TotalRows) {
		p.report("the job is %s with %d of %d rows in error, and %q may be", j.Status, c.Counts.Errored, c.TotalRows, p.plan.maxErrors)
	}
}

// purgeAndCompare purges the job, which has ended and can no longer be undone, and looks for
// remains. Its entities do not change.
func (p *importRun) purgeAndCompare(ctx context.Context, want checker.Import) error {
	if _, err := p.admin.Exec(ctx, `UPDATE import_jobs SET undo_until = now() - interval '1 s' WHERE organisation_id = $1 AND undo_until IS NOT NULL`, p.ref.OrganisationID); err != nil {
		return err
	}
	for range 2 { // retries are deleted first
		if err := p.functions.purgeEnded.Run(ctx); err != nil {
			return err
		}
	}
	want.Purged, want.Lines, want.Counts = true, nil, nil
	found, err := checker.Differences(ctx, p.admin, p.cloud, want)
	for _, f := range found {
		p.report("after the purge: %s", f)
	}
	return err
}

// job returns the current job.
func (p *importRun) job(ctx context.Context) (j *job.Job, err error) {
	changes := p.transactions.Load()
	if p.lastJob.changes == changes && (p.lastJob.job != nil || p.lastJob.err != nil) {
		return p.lastJob.job, p.lastJob.err
	}
	defer func() { p.lastJob = jobState{changes, j, err} }()
	err = p.db.InOrganisation(ctx, p.ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = p.db.Job(ctx, tx, p.ref.JobID)
		return err
	})
	return j, err
}

// status returns the current status; "" if the job does not exist. It is read after every transaction,
// so it takes one statement instead of a transaction that loads the job.
func (p *importRun) status(ctx context.Context) (job.Status, error) {
	changes := p.transactions.Load()
	if p.lastStatus.known && p.lastStatus.changes == changes {
		return p.lastStatus.status, nil
	}
	var status job.Status
	err := p.admin.QueryRow(ctx, `SELECT status FROM import_jobs WHERE uuid = $1`, p.ref.JobID).Scan(&status)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return "", err
	}
	p.lastStatus = jobStatus{changes, status, true}
	return status, nil
}

// describeState returns a short description of the job's data in the database.
func (p *importRun) describeState(ctx context.Context) (s string, err error) {
	err = p.admin.QueryRow(ctx, `
		SELECT concat_ws(' ', j.status, j.created_count, j.updated_count, j.unchanged_count, j.skipped_count, j.error_count, j.deferred_count, j.chunks_done,
			(SELECT md5(string_agg(encode(outcomes, 'hex'), ',' ORDER BY chunk_index)) FROM import_chunks WHERE job_id = j.id),
			(SELECT count(*) FROM import_row_results WHERE job_id = j.id),
			(SELECT count(*) FROM users WHERE source_job = j.id), (SELECT count(*) FROM articles WHERE source_job = j.id),
			(SELECT count(*) FROM comments WHERE source_job = j.id), (SELECT count(*) FROM orders WHERE source_job = j.id),
			(SELECT count(*) FROM memberships WHERE source_job = j.id), (SELECT count(*) FROM persons WHERE source_job = j.id),
			(SELECT count(*) FROM event_participants WHERE source_job = j.id), (SELECT count(*) FROM results WHERE source_job = j.id))
		FROM import_jobs AS j
		WHERE uuid = $1`, p.ref.JobID).Scan(&s)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return s, err
}
