package simulation

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// workload is a random history of one organisation's entities: imports with chunks interleaved
// with those of others, edits by SQL, cancellations, crashes, redeliveries and undos. After each
// operation, the database is compared with the model.
type workload struct {
	*Simulator
	*rand.Rand
	organisation tenant.ID
	model        *history.Model
	entities     *entityGenerator
	imports      []*workloadJob
	trace        []string
	differences  []string
	before       checker.Snapshot
	edited       bool // by SQL: the change sets do not explain the current data
	undoCounts   map[undo.Mode]int
	retryCount   int
	undetermined bool // an undo has met a value of ambiguous origin
}

// workloadJob is an import or an undo of a workload.
type workloadJob struct {
	*importRun
	table          *history.Table
	job            *history.Job
	rows           []history.Row
	ended          bool
	undos          []*workloadJob     // undos of this job
	undoes         *workloadJob       // the job that an undo undoes; nil for an import
	commits        map[int]int        // commits of the job in the model, by chunk
	mode           undo.Mode          // for an undo
	previewedModes map[undo.Mode]bool // modes of undos of this job that have been previewed
	preview        bool
	cancelled      bool
	unchanged      bool           // it has changed nothing
	retryOf        *workloadJob   // the import that it retries, or nil
	openRows       map[int64]bool // failed rows
	planned        *plannedImport // nil if the import is not planned
}

// WorkloadResult is the result of a workload.
type WorkloadResult struct {
	Seed        uint64
	Differences []string
	Imports     int
	Plans       int // number of plans that were applied
	Undos       map[undo.Mode]int
	Retries     int // number of retries
	Trace       []string
}

// String describes the differences, and how to reproduce them.
func (l *WorkloadResult) String() string {
	return fmt.Sprintf("seed %d ended with %d differences:\n  %s\ntrace:\n  %s\nreplay it: make test-random HISTORY=%[1]d",
		l.Seed, len(l.Differences), strings.Join(l.Differences, "\n  "), strings.Join(l.Trace, "\n  "))
}

// RunWorkload runs a seed in its own organisation, with at most the given number of steps; 0 for no
// limit. The first steps do not depend on their number.
func (s *Simulator) RunWorkload(ctx context.Context, seed uint64, steps int) (*WorkloadResult, error) {
	s.organisation++
	l := &workload{Simulator: s, Rand: rand.New(rand.NewPCG(seed, 0x11fe)), organisation: s.organisation, model: history.New(), undoCounts: make(map[undo.Mode]int)}
	l.entities = newThings(l.Rand, l.model, l.organisation)
	if err := l.setUp(ctx); err != nil {
		return nil, fmt.Errorf("seed %d: begin: %w", seed, err)
	}
	if err := l.run(ctx, steps); err != nil {
		return nil, fmt.Errorf("seed %d: %w\n%s", seed, err, strings.Join(l.trace, "\n"))
	}
	if len(l.differences) == 0 && !l.edited && !l.undetermined {
		if err := l.compareChanges(ctx); err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return &WorkloadResult{Seed: seed, Differences: l.differences, Imports: len(l.imports), Plans: l.countApplied(), Undos: l.undoCounts, Retries: l.retryCount, Trace: l.trace}, nil
}

// setUp creates the organisation and its initial data.
func (l *workload) setUp(ctx context.Context) error {
	var sql []string
	for _, t := range history.Tables() {
		for n := range initialEntities {
			if !t.Columns[0].Generated {
				sql = append(sql, l.insertSQL(t, n))
			}
		}
	}
	period := generate.ContextID(l.organisation)
	sql = append(sql, fmt.Sprintf(`INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (%d, %d, '2026', '2026-01-01', '2026-12-31')`, period, l.organisation))
	for n, name := range membershipTypes {
		sql = append(sql, fmt.Sprintf(`INSERT INTO membership_types (id, organisation_id, name) VALUES (%s, %d, '%s')`, l.entities.membershipTypeID(n), l.organisation, name))
	}
	if err := l.createOrganisation(ctx, sql); err != nil {
		return err
	}
	var err error
	if l.before, err = l.workloadCamera.Take(ctx, l.admin, l.organisation); err != nil {
		return err
	}
	return l.compare(ctx, nil)
}

// run performs operations until no import is running and enough operations have been performed.
func (l *workload) run(ctx context.Context, steps int) error {
	for turn := 1; len(l.differences) == 0 && !l.undetermined && (steps == 0 || turn <= steps); turn++ {
		if turn > maxTurns {
			l.report("it does not end")
			return nil
		}
		options := l.operations(turn)
		if len(options) == 0 {
			return nil
		}
		total := 0
		for _, o := range options {
			total += o.weight
		}
		pick := l.IntN(total)
		for _, o := range options {
			if pick -= o.weight; pick < 0 {
				if err := o.run(ctx); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// operation is a possible next operation; a higher weight makes it more likely.
type operation struct {
	weight int
	run    func(ctx context.Context) error
}

// The extent of a workload.
const (
	workloadTurns   = 18
	undoTurns       = 24
	workloadImports = 5
)

// operations returns the possible next operations: at the end, only those that end imports, and
// undos.
func (l *workload) operations(turn int) []operation {
	var out []operation
	for _, i := range l.imports {
		if !i.ended {
			goOn := l.advanceImport
			if i.undoes != nil {
				goOn = l.advanceUndo
			} else if i.planned != nil && i.planned.awaitsApproval && len(i.cloud.queued) == 0 {
				goOn = l.approvePlan
			}
			out = append(out, operation{6, func(ctx context.Context) error { return goOn(ctx, i) }})
			if turn <= workloadTurns {
				out = append(out, operation{1, func(ctx context.Context) error { return l.cancelImport(ctx, i) }})
			}
		}
	}
	if turn > workloadTurns {
		if len(out) == 0 && turn <= workloadTurns+undoTurns {
			return l.undos() // in any order
		}
		return out
	}
	if len(l.imports) < workloadImports {
		out = append(out, operation{5, l.startImport})
	}
	out = append(out, operation{4, l.editEntity})
	return slices.Concat(out, l.retries(), l.undos())
}

func (l *workload) ref(id string) job.Ref {
	return job.Ref{JobID: job.ID(id), OrganisationID: l.organisation}
}

func (l *workload) record(format string, args ...any) {
	l.trace = append(l.trace, fmt.Sprintf(format, args...))
}
func (l *workload) report(format string, args ...any) {
	l.differences = append(l.differences, fmt.Sprintf(format, args...))
}

// startImport creates an import of a file, and runs it until its chunks are queued.
func (l *workload) startImport(ctx context.Context) error {
	t := l.entities.drawTable()
	i := &workloadJob{table: t, commits: make(map[int]int), openRows: make(map[int64]bool), job: &history.Job{Name: fmt.Sprintf("import %d", len(l.imports)+1), Upsert: l.IntN(3) > 0}}
	header, rows := l.entities.drawRows(t)
	i.rows = rows
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	_ = w.Write(texts(header, func(c fileColumn) string { return c.header }))
	for _, r := range rows {
		_ = w.Write(texts(header, func(c fileColumn) string {
			if c.displayed != nil {
				return c.displayed[r.Values[c.column]]
			}
			return r.Values[c.column]
		}))
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	i.planned = l.drawPlan(rows)
	chunkRows := 1 + l.IntN(3)
	l.record("%s: %s, upsert %t, planned %t, %d rows a chunk:\n%s", i.job.Name, t.Type, i.job.Upsert, i.planned != nil, chunkRows, file.Bytes())
	var err error
	if i.importRun, err = l.newRun(l.Rand, l.ref(uuid.NewString()), t.Type, chunkRows); err != nil {
		return err
	}
	i.sourceKey = fmt.Sprintf("uploads/%d/%s/source", l.organisation, i.ref.JobID)
	if err := i.cloud.Put(ctx, i.sourceKey, "", file.Bytes()); err != nil {
		return err
	}
	now, mode := time.Now(), rowwrite.Insert
	if i.job.Upsert {
		mode = rowwrite.Upsert
	}
	j := &job.Job{
		ID: i.ref.JobID, OrganisationID: l.organisation, ImportType: t.Type, Mode: mode, AutoStart: true, Filename: "lived.csv", ObjectKey: i.sourceKey,
		SizeBytes: int64(file.Len()), RequestID: "lived", UploadedAt: &now, Options: []byte(`{"delimiter":",","headerRow":1,"decimalMark":"."}`),
	}
	if i.planned != nil {
		j.Plan = &job.Plan{Requested: true}
	}
	if t.Name == history.Memberships {
		j.ContextID = new(generate.ContextID(l.organisation))
	}
	err = l.db.InOrganisation(ctx, l.organisation, func(tx pgx.Tx) error {
		_, err := l.db.CreateJob(ctx, tx, j)
		return err
	})
	if err != nil {
		return err
	}
	l.imports = append(l.imports, i)
	return l.runExecution(ctx, i)
}

// newRun returns a run for an import of the organisation, with its own cloud.
func (s *Simulator) newRun(r *rand.Rand, ref job.Ref, importType string, chunkRows int) (*importRun, error) {
	p := &importRun{
		Simulator: s, Rand: r, script: &generate.Import{Type: importType, ChunkRows: chunkRows, Unordered: true},
		ref: ref, scheduler: scheduler{events: make(chan *task)}, inFlight: make(map[int]int), plan: faultPlan{poison: -1},
	}
	p.cloud = &cloud{Bucket: steptest.NewBucket(), jobID: ref.JobID, tokens: make(map[job.Phase]string), execution: execution{machine: s.machine}}
	var err error
	p.functions, err = p.buildFunctions()
	return p, err
}

// runExecution starts the execution and continues it until it waits or has ended.
func (l *workload) runExecution(ctx context.Context, i *workloadJob) error {
	if i.cloud.execution.status == "" {
		i.cloud.execution.start()
	}
	for e := &i.cloud.execution; e.status == running && !e.invoked && e.token == ""; {
		i.invokeState(ctx)
		i.drain(-1, proceed)
	}
	l.differences, i.differences = append(l.differences, i.differences...), nil
	j, err := i.importRun.job(ctx)
	if err != nil {
		return err
	}
	if i.planned != nil {
		i.planned.awaitsApproval = j.Status == job.AwaitingApproval
	}
	if i.ended = j.Status.Terminal() && i.cloud.execution.status != running; i.ended {
		i.cancelled = j.Status == job.Cancelled
		l.record("%s is %s", i.name(), j.Status)
		if j.Status == job.Failed && !(i.planned != nil && failedAsStale(j)) {
			l.report("%s failed: %v", i.name(), j.Failure)
		}
	}
	return nil
}

func (i *workloadJob) name() string { return i.job.Name }

// drain resumes the tasks one by one until none is left. The step with index fault is resumed with
// the fault how.
func (p *importRun) drain(fault int, how taskFault) (failed bool) {
	for n := 0; len(p.paused) > 0; n++ {
		p.steps++
		t, v := p.paused[0], proceed
		if n == fault {
			v = t.possibleFault(how)
			failed = v != proceed
		}
		p.resume([]*task{t}, v)
	}
	return failed
}

// possibleFault returns the fault that is possible at the task's current step, for the requested
// one.
func (t *task) possibleFault(how taskFault) taskFault {
	switch {
	case t.step == "begin":
		return dieBefore
	case t.inTx:
		return how
	}
	return min(how, loseResponse)
}

// advanceImport delivers a chunk of an import, or continues its execution.
func (l *workload) advanceImport(ctx context.Context, i *workloadJob) error {
	if len(i.cloud.queued) == 0 {
		i.idle++
		if i.idle > 3 {
			l.report("%s has nothing queued and is not finished: %q", i.name(), i.cloud.execution.state)
			return nil
		}
		i.begin(ctx, "reconcile", i.functions.reconcile.Run, i.background)
		i.drain(-1, proceed)
		return l.runExecution(ctx, i)
	}
	m := i.cloud.queued[l.IntN(len(i.cloud.queued))]
	done, err := l.isCommitted(ctx, i, m.Chunk)
	if err != nil {
		return err
	}
	fault, how := -1, proceed
	if l.IntN(4) == 0 {
		fault, how = l.IntN(5), taskFault(1+l.IntN(int(loseConnection)))
	}
	i.deliver(ctx, m)
	failed := i.drain(fault, how)
	now, err := l.isCommitted(ctx, i, m.Chunk)
	if err != nil {
		return err
	}
	l.record("%s: chunk %d is delivered%s", i.name(), m.Chunk, map[bool]string{true: faultWords[how]}[failed])
	if !done && now {
		if err := l.applyCommittedChunk(ctx, i, m.Chunk); err != nil {
			return err
		}
		if l.IntN(5) == 0 { // delivered again
			i.cloud.queued = append(i.cloud.queued, message{ChunkRef: m.ChunkRef})
		}
	} else if err := l.compare(ctx, nil); err != nil {
		return err
	}
	return l.runExecution(ctx, i)
}

// isCommitted reports whether a chunk has been committed.
func (l *workload) isCommitted(ctx context.Context, i *workloadJob, chunk int) (done bool, err error) {
	err = l.admin.QueryRow(ctx, `SELECT c.done FROM import_chunks AS c JOIN import_jobs AS j ON j.id = c.job_id WHERE j.uuid = $1 AND c.chunk_index = $2`, i.ref.JobID, chunk).Scan(&done)
	return done, err
}

// applyCommittedChunk applies a committed chunk to the model.
func (l *workload) applyCommittedChunk(ctx context.Context, i *workloadJob, chunk int) error {
	if i.table == nil {
		return l.compare(ctx, nil)
	}
	var first int64
	var outcomes []byte
	err := l.admin.QueryRow(ctx, `SELECT c.first_row, c.outcomes FROM import_chunks AS c JOIN import_jobs AS j ON j.id = c.job_id WHERE j.uuid = $1 AND c.chunk_index = $2`,
		i.ref.JobID, chunk).Scan(&first, &outcomes)
	if err != nil {
		return err
	}
	var rows []history.Row
	for _, r := range i.rows {
		if r.Number >= first && r.Number < first+int64(len(outcomes)) {
			rows = append(rows, r)
		}
	}
	for n, want := range l.expectOutcomes(i, chunk, rows) {
		if got := rowwrite.Outcome(outcomes[rows[n].Number-first]); !matchesOutcome(want, got) {
			l.report("row %d of %s is %s, want %s", rows[n].Number, i.name(), got, want)
		}
		i.noteOutcome(rows[n].Number, rowwrite.Outcome(outcomes[rows[n].Number-first]))
	}
	for _, row := range i.job.Displaced {
		i.noteOutcome(row, rowwrite.Errored)
	}
	i.commits[chunk] = i.job.Parts() - 1
	return l.compare(ctx, i.job)
}

// matchesOutcome reports whether an outcome matches the model. An unchanged row may count as an
// update; it must if other rows of its file are about the same entity.
func matchesOutcome(want history.Outcome, got rowwrite.Outcome) bool {
	switch want {
	case history.Created:
		return got == rowwrite.Created
	case history.Updated:
		return got == rowwrite.Updated
	case history.Rejected:
		return got == rowwrite.Errored
	case history.Skipped:
		return got == rowwrite.Skipped
	}
	return got != rowwrite.Created && got != rowwrite.Errored
}

// cancelImport cancels an import.
func (l *workload) cancelImport(ctx context.Context, i *workloadJob) error {
	l.record("%s is cancelled", i.name())
	t := i.begin(ctx, "cancel", func(ctx context.Context) error {
		_, err := i.functions.cancel.Cancel(ctx, i.ref)
		return err
	}, i.finishTask)
	for slices.Contains(i.paused, t) {
		i.resume([]*task{t}, proceed)
	}
	if err := l.compare(ctx, nil); err != nil {
		return err
	}
	if i.undoes != nil {
		return l.noteUndoEnd(ctx, i)
	}
	return l.runExecution(ctx, i)
}

// compare compares the database with the model. by is the import that may have just written, or
// nil.
func (l *workload) compare(ctx context.Context, by *history.Job) error {
	snapshot, err := l.workloadCamera.Take(ctx, l.admin, l.organisation)
	if err != nil {
		return err
	}
	seen := make(history.Snapshot, len(snapshot))
	for key, e := range snapshot {
		values := make(map[string]string, len(e.Values))
		for column, v := range e.Values {
			if values[column] = history.Null; v != nil {
				values[column] = *v
			}
		}
		seen[history.Key(key)] = values
	}
	for _, f := range l.model.Compare(seen, by) {
		l.report("the database differs from the model: %s", f)
	}
	return nil
}

// compareChanges compares the change sets of all imports with the actual changes.
func (l *workload) compareChanges(ctx context.Context) error {
	after, err := l.workloadCamera.Take(ctx, l.admin, l.organisation)
	if err != nil {
		return err
	}
	var changes []checker.Change
	for _, i := range l.imports {
		if i.preview || i.planned != nil && i.job.Parts() == 0 {
			continue // its changes have not been applied
		}
		more, err := l.reader.changes(ctx, l.organisation, i.ref.JobID, i.script.Type)
		if err != nil {
			return err
		}
		changes = slices.Concat(changes, more)
	}
	for _, f := range l.before.Unexplained(after, changes) {
		l.report("the change sets do not explain the changes: %s", f)
	}
	return nil
}
