// Package simulation runs whole imports that are generated from a seed: the real
// steps against a real Postgres, with the cloud around them in memory, under a
// scheduler that chooses from the seed what runs next and what fails. A person
// decides, confirms twice, starts or cancels; chunks are delivered twice and out of
// order; processes die before and after their commits; reconcile and purge come at
// any time. Afterwards everything is compared with what should have come of it. Then
// the person corrects some rows that went wrong, well or not, and has them brought
// again, by one import or two at once, or while others are on their way; and all of it
// is compared again.
//
// The steps run one transaction after the other, so that a seed can be played
// again. In some seeds, several go side by side: their transactions then meet in
// the database, and a seed is only likely to repeat what it did.
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

// Simulator is where imports are played: one database, one import at a time.
type Simulator struct {
	db, maintenance *postgres.DB
	admin           *pgx.Conn
	machine         *machine
	reader          *reader
	camera          *checker.Camera
	workloadCamera  *checker.Camera // of what lives are about
	organisation    tenant.ID
}

// NewSimulator returns a stage on a migrated database: as the functions, as maintenance,
// and as an administrator see it.
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

// ImportResult is what came of a seed.
type ImportResult struct {
	Import      *generate.Import
	Status      job.Status // "" for one that was purged
	Differences []string
	// Again is how many imports brought rows of it again, and RetriedRows how many rows.
	Retries, RetriedRows int
	// Changes is how many changes of entities all of them have kept.
	Changes int
	// Undos is how many of them were undone.
	Undos int
	// Concurrent says that transactions met in the database, so that the seed need
	// not do the same again.
	Concurrent bool
	// Acts is what happened, in order.
	Trace []string
}

// String says what is wrong, of which import, and how to see it again.
func (p *ImportResult) String() string {
	return fmt.Sprintf("seed %d ended as %q with %d differences:\n  %s\n%swhat happened:\n  %s\nplay it again: make test-random SEED=%[1]d",
		p.Import.Seed, p.Status, len(p.Differences), strings.Join(p.Differences, "\n  "), p.Import, strings.Join(p.Trace, "\n  "))
}

// RunImport plays a seed for an organisation of its own.
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

// importRun is one seed being played.
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
	inFlight       map[int]int // tasks that process a chunk
	personTasks    int         // tasks of the person
	blocked        bool        // the person could not decide, and waits for something to happen
	turns          int
	idle           int
	cancelledState string // what the database held when the job had been cancelled
	ended          job.Status
	sourceKey      string
	before         checker.Snapshot // what there was at the beginning
	changeCount    int              // changes that the imports have kept
	dryRun         bool             // its rows were written and taken back, and nobody has had that applied
	undos          int              // of imports

	unconfirmedDecisions atomic.Int64 // how often the person decides about columns and does not confirm yet
	transactions         atomic.Int64 // transactions of the tasks so far
	lastJob              jobState

	steps int // of tasks, where they go on one by one

	retryCount, retriedRowCount int                   // imports that brought rows again, and how many
	finished                    bool                  // it is played to its end
	retryRequest                func(context.Context) // what the person does at the turn retryAt
}

// jobState is what was seen of the job after so many changes.
type jobState struct {
	changes int64
	job     *job.Job
	err     error
}

// faultPlan is what goes wrong in a run, and what a person does besides deciding.
type faultPlan struct {
	faults              int // tasks that are made to fail
	duplicateDeliveries int // messages that are delivered twice
	concurrent          bool
	cancelAt            int  // the turn at which the person cancels; 0 for never
	purgeAt             int  // the turn at which waiting imports are purged; 0 for never
	reconciles          int  // how often reconcile comes although something else could go on
	duplicateDecisions  int  // decisions that are made twice
	reanalyses          int  // how often the person has the file read again
	poison              int  // the chunk that can never be processed; -1 for none
	poisonOnApply       bool // it cannot be once what was planned is written
	forgottenValue      string
	maxErrors           job.ErrorLimit // beyond which the import is stopped
	purgeEnded          bool
	retryAt             int  // the turn at which more rows are asked for; 0 for never
	startSkipped        bool // the execution is not begun by who made the job
	profile             profileChoice
	planned             bool // it is rehearsed first, and applied when the person has seen what comes of it
}

// maxForeignRows is how many times its own rows a chunk of a plan takes on of others that
// share keys. Beyond that, it is not promised which of them is written.
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
		if out.poison, out.poisonOnApply = -1, p.chance(15); out.poisonOnApply { // it has one chunk, once it is rehearsed
			out.poison = 0
		}
	}
	if p.chance(20) {
		out.maxErrors = []job.ErrorLimit{"0", "1", "3", "20%", "50%"}[p.IntN(5)]
	}
	return out
}

// prepare makes the organisation, what it has, the file and the job.
func (p *importRun) prepare(ctx context.Context) error {
	sql := []string{fmt.Sprintf(`INSERT INTO organisations (id, name) VALUES (%[1]d, 'Made up %[1]d')`, p.ref.OrganisationID)}
	for _, statement := range p.script.SetupSQL() {
		sql = append(sql, strings.ReplaceAll(statement, "$1", fmt.Sprint(p.ref.OrganisationID)))
	}
	if _, err := p.admin.Exec(ctx, strings.Join(sql, ";\n")); err != nil {
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

// record notes what happens.
func (p *importRun) record(format string, args ...any) {
	p.trace = append(p.trace, fmt.Sprintf("%d: ", p.turns)+fmt.Sprintf(format, args...))
}

func (p *importRun) report(format string, args ...any) {
	p.differences = append(p.differences, fmt.Sprintf(format, args...))
}

// compare compares what came of the import with what must have.
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

// expect fills in what must have come of the import, as far as it got.
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
		p.report("after it was cancelled there was %s, and now there is %s", p.cancelledState, now)
	}
	return fate, err
}

// checkErrorLimit holds the end of the import against the most errors that it may have.
func (p *importRun) checkErrorLimit(j *job.Job) {
	c, stopped := j.Progress, j.Failure != nil && j.Failure.Code == string(problem.TooManyErrors)
	if j.Status != job.Cancelled && stopped != p.plan.maxErrors.Exceeded(c.Counts.Errored, c.TotalRows) {
		p.report("the job is %s with %d of %d rows in error, and %q may be", j.Status, c.Counts.Errored, c.TotalRows, p.plan.maxErrors)
	}
}

// purgeAndCompare purges the job that has ended and cannot be undone any more, and looks for
// what is left of it. Its entities stay as they are.
func (p *importRun) purgeAndCompare(ctx context.Context, want checker.Import) error {
	if _, err := p.admin.Exec(ctx, `UPDATE import_jobs SET undo_until = now() - interval '1 s' WHERE organisation_id = $1 AND undo_until IS NOT NULL`, p.ref.OrganisationID); err != nil {
		return err
	}
	for range 2 { // imports that brought rows again go first
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

// job returns the job as it stands.
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

// describeState is what the database holds of the job, in short.
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
