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
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// life is what happens to the entities of one organisation: imports of which chunks are
// processed in turn with those of others, edits by SQL, cancellations, crashes,
// redeliveries and undos. After each of them, the database is compared with the model.
type life struct {
	*Stage
	*rand.Rand
	organisation tenant.ID
	world        *history.World
	things       *things
	imports      []*imported
	acts         []string
	found        []string
	before       checker.Snapshot
	edited       bool // by SQL: the change sets alone do not explain what there is
	undone       map[undo.Mode]int
	retried      int
	undecided    bool // what an undo has met on its way is nobody's in particular
}

// imported is an import, or an undo, of a life.
type imported struct {
	*play
	table     *history.Table
	job       *history.Job
	rows      []history.Row
	ended     bool
	undos     []*imported        // of it
	undoes    *imported          // what an undo undoes; nil for an import
	commits   map[int]int        // of the job in the model, by chunk
	mode      undo.Mode          // of an undo
	seen      map[undo.Mode]bool // which undos of it somebody has looked at
	preview   bool
	cancelled bool
	nothing   bool           // it has changed nothing
	first     *imported      // whose rows it brings again, or nil
	open      map[int64]bool // rows that are to be put right
	planned   *rehearsal     // nil for an import that is not
}

// Lived is what came of a life.
type Lived struct {
	Seed        uint64
	Differences []string
	Imports     int
	Plans       int // imports that were planned and applied
	Undos       map[undo.Mode]int
	Retries     int // imports that brought rows again
	Acts        []string
}

// String says what is wrong, and how to see it again.
func (l *Lived) String() string {
	return fmt.Sprintf("seed %d lived with %d differences:\n  %s\nwhat happened:\n  %s\nlive it again: make test-random LIFE=%[1]d",
		l.Seed, len(l.Differences), strings.Join(l.Differences, "\n  "), strings.Join(l.Acts, "\n  "))
}

// Live lives a seed in an organisation of its own, in so many steps at most; 0 for as many
// as it takes. The first steps are the same whatever their number is.
func (s *Stage) Live(ctx context.Context, seed uint64, steps int) (*Lived, error) {
	s.organisation++
	l := &life{Stage: s, Rand: rand.New(rand.NewPCG(seed, 0x11fe)), organisation: s.organisation, world: history.New(), undone: make(map[undo.Mode]int)}
	l.things = newThings(l.Rand, l.world, l.organisation)
	if err := l.begin(ctx); err != nil {
		return nil, fmt.Errorf("seed %d: begin: %w", seed, err)
	}
	if err := l.live(ctx, steps); err != nil {
		return nil, fmt.Errorf("seed %d: %w\n%s", seed, err, strings.Join(l.acts, "\n"))
	}
	if len(l.found) == 0 && !l.edited && !l.undecided {
		if err := l.explained(ctx); err != nil {
			return nil, fmt.Errorf("seed %d: %w", seed, err)
		}
	}
	return &Lived{Seed: seed, Differences: l.found, Imports: len(l.imports), Plans: l.applied(), Undos: l.undone, Retries: l.retried, Acts: l.acts}, nil
}

// begin makes the organisation and what it has.
func (l *life) begin(ctx context.Context) error {
	sql := []string{fmt.Sprintf(`INSERT INTO organisations (id, name) VALUES (%[1]d, 'Lived %[1]d')`, l.organisation)}
	for _, t := range history.Tables() {
		for n := range startingThings {
			if !t.Columns[0].Drawn {
				sql = append(sql, l.insert(t, n))
			}
		}
	}
	period := generate.Context(l.organisation)
	sql = append(sql, fmt.Sprintf(`INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (%d, %d, '2026', '2026-01-01', '2026-12-31')`, period, l.organisation))
	for n, name := range membershipTypes {
		sql = append(sql, fmt.Sprintf(`INSERT INTO membership_types (id, organisation_id, name) VALUES (%s, %d, '%s')`, l.things.typeID(n), l.organisation, name))
	}
	if _, err := l.admin.Exec(ctx, strings.Join(sql, ";\n")); err != nil {
		return err
	}
	var err error
	if l.before, err = l.scene.Take(ctx, l.admin, l.organisation); err != nil {
		return err
	}
	return l.compare(ctx, nil)
}

// live goes on until no import is under way and enough has happened.
func (l *life) live(ctx context.Context, steps int) error {
	for turn := 1; len(l.found) == 0 && !l.undecided && (steps == 0 || turn <= steps); turn++ {
		if turn > maxTurns {
			l.say("it goes on and on")
			return nil
		}
		options := l.options(turn)
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
				if err := o.do(ctx); err != nil {
					return err
				}
				break
			}
		}
	}
	return nil
}

// deed is something that can happen next, the more likely the heavier it is.
type deed struct {
	weight int
	do     func(ctx context.Context) error
}

// How much happens in a life.
const (
	lifeTurns   = 18
	lastTurns   = 24
	lifeImports = 5
)

// options are what can happen next: once enough has, only what ends imports, and undos.
func (l *life) options(turn int) []deed {
	var out []deed
	for _, i := range l.imports {
		if !i.ended {
			goOn := l.goOn
			if i.undoes != nil {
				goOn = l.takeBack
			} else if i.planned != nil && i.planned.waits && len(i.cloud.queued) == 0 {
				goOn = l.approve
			}
			out = append(out, deed{6, func(ctx context.Context) error { return goOn(ctx, i) }})
			if turn <= lifeTurns {
				out = append(out, deed{1, func(ctx context.Context) error { return l.cancelled(ctx, i) }})
			}
		}
	}
	if turn > lifeTurns {
		if len(out) == 0 && turn <= lifeTurns+lastTurns {
			return l.undos() // in whatever order
		}
		return out
	}
	if len(l.imports) < lifeImports {
		out = append(out, deed{5, l.importFile})
	}
	out = append(out, deed{4, l.edit})
	return slices.Concat(out, l.retries(), l.undos())
}

func (l *life) ref(id string) job.Ref {
	return job.Ref{JobID: job.ID(id), OrganisationID: l.organisation}
}

func (l *life) act(format string, args ...any) { l.acts = append(l.acts, fmt.Sprintf(format, args...)) }
func (l *life) say(format string, args ...any) {
	l.found = append(l.found, fmt.Sprintf(format, args...))
}

// importFile makes an import of a file, and brings it to where its chunks are queued.
func (l *life) importFile(ctx context.Context) error {
	t := l.things.imported()
	i := &imported{table: t, commits: make(map[int]int), open: make(map[int64]bool), job: &history.Job{Name: fmt.Sprintf("import %d", len(l.imports)+1), Upsert: l.IntN(3) > 0}}
	header, rows := l.things.rows(t)
	i.rows = rows
	var file bytes.Buffer
	w := csv.NewWriter(&file)
	_ = w.Write(texts(header, func(c heading) string { return c.header }))
	for _, r := range rows {
		_ = w.Write(texts(header, func(c heading) string {
			if c.shown != nil {
				return c.shown[r.Given[c.column]]
			}
			return r.Given[c.column]
		}))
	}
	if w.Flush(); w.Error() != nil {
		return w.Error()
	}
	i.planned = l.drawPlan(rows)
	chunkRows := 1 + l.IntN(3)
	l.act("%s: %s, upsert %t, planned %t, %d rows a chunk:\n%s", i.job.Name, t.Type, i.job.Upsert, i.planned != nil, chunkRows, file.Bytes())
	var err error
	if i.play, err = l.newPlay(l.Rand, l.ref(uuid.NewString()), t.Type, chunkRows); err != nil {
		return err
	}
	i.sourceKey = fmt.Sprintf("uploads/%d/%s/source", l.organisation, i.ref.JobID)
	if err := i.cloud.Put(ctx, i.sourceKey, "", file.Bytes()); err != nil {
		return err
	}
	now, mode := time.Now(), job.Insert
	if i.job.Upsert {
		mode = job.Upsert
	}
	j := &job.Job{
		ID: i.ref.JobID, OrganisationID: l.organisation, ImportType: t.Type, Mode: mode, AutoStart: true, Filename: "lived.csv", ObjectKey: i.sourceKey,
		SizeBytes: int64(file.Len()), RequestID: "lived", UploadedAt: &now, Options: []byte(`{"delimiter":",","headerRow":1,"decimalMark":"."}`),
	}
	if i.planned != nil {
		j.Plan = &job.Plan{Asked: true}
	}
	if t.Name == history.Memberships {
		j.ContextID = new(generate.Context(l.organisation))
	}
	err = l.db.InOrganisation(ctx, l.organisation, func(tx pgx.Tx) error {
		_, err := l.db.CreateJob(ctx, tx, j)
		return err
	})
	if err != nil {
		return err
	}
	l.imports = append(l.imports, i)
	return l.execute(ctx, i)
}

// newPlay returns what an import of the organisation is played with that has a cloud of
// its own.
func (s *Stage) newPlay(r *rand.Rand, ref job.Ref, importType string, chunkRows int) (*play, error) {
	p := &play{
		Stage: s, Rand: r, script: &generate.Import{Type: importType, ChunkRows: chunkRows, Scattered: true},
		ref: ref, scheduler: scheduler{events: make(chan *task)}, inFlight: make(map[int]int), plan: plan{poison: -1},
	}
	p.cloud = &cloud{Bucket: steptest.NewBucket(), jobID: ref.JobID, tokens: make(map[job.Phase]string), execution: execution{machine: s.machine}}
	var err error
	p.functions, err = p.build()
	return p, err
}

// execute starts the execution and goes on with it until it waits, or has ended.
func (l *life) execute(ctx context.Context, i *imported) error {
	if i.cloud.execution.status == "" {
		i.cloud.execution.start()
	}
	for e := &i.cloud.execution; e.status == running && !e.called && e.token == ""; {
		i.invoke(ctx)
		i.drain(-1, proceed)
	}
	l.found, i.found = append(l.found, i.found...), nil
	j, err := i.play.job(ctx)
	if err != nil {
		return err
	}
	if i.planned != nil {
		i.planned.waits = j.Status == job.AwaitingApproval
	}
	if i.ended = j.Status.Terminal() && i.cloud.execution.status != running; i.ended {
		i.cancelled = j.Status == job.Cancelled
		l.act("%s is %s", i.name(), j.Status)
		if j.Status == job.Failed && !(i.planned != nil && foundStale(j)) {
			l.say("%s failed: %v", i.name(), j.Failure)
		}
	}
	return nil
}

func (i *imported) name() string { return i.job.Name }

// drain lets the tasks go on one by one until none is left. The one that is so many
// stretches away goes on as it is told.
func (p *play) drain(fault int, how verdict) (failed bool) {
	for n := 0; len(p.standing) > 0; n++ {
		p.stretches++
		t, v := p.standing[0], proceed
		if n == fault {
			v = t.fault(how)
			failed = v != proceed
		}
		p.grant([]*task{t}, v)
	}
	return failed
}

// fault is how a task can fail that is to fail in a way.
func (t *task) fault(how verdict) verdict {
	switch {
	case t.step == "begin":
		return dieBefore
	case t.inTx:
		return how
	}
	return min(how, lose)
}

// goOn delivers a chunk of an import, or goes on with its execution.
func (l *life) goOn(ctx context.Context, i *imported) error {
	if len(i.cloud.queued) == 0 {
		i.idle++
		if i.idle > 3 {
			l.say("%s has nothing queued, and has not ended: %q", i.name(), i.cloud.execution.state)
			return nil
		}
		i.begin(ctx, "reconcile", i.functions.reconcile.Run, i.background)
		i.drain(-1, proceed)
		return l.execute(ctx, i)
	}
	m := i.cloud.queued[l.IntN(len(i.cloud.queued))]
	done, err := l.done(ctx, i, m.Chunk)
	if err != nil {
		return err
	}
	fault, how := -1, proceed
	if l.IntN(4) == 0 {
		fault, how = l.IntN(5), verdict(1+l.IntN(int(disconnect)))
	}
	i.deliver(ctx, m)
	failed := i.drain(fault, how)
	now, err := l.done(ctx, i, m.Chunk)
	if err != nil {
		return err
	}
	l.act("%s: chunk %d is delivered%s", i.name(), m.Chunk, map[bool]string{true: words[how]}[failed])
	if !done && now {
		if err := l.written(ctx, i, m.Chunk); err != nil {
			return err
		}
		if l.IntN(5) == 0 { // once more
			i.cloud.queued = append(i.cloud.queued, message{ChunkRef: m.ChunkRef})
		}
	} else if err := l.compare(ctx, nil); err != nil {
		return err
	}
	return l.execute(ctx, i)
}

// done reports whether a chunk has been committed.
func (l *life) done(ctx context.Context, i *imported, chunk int) (done bool, err error) {
	err = l.admin.QueryRow(ctx, `SELECT c.done FROM import_chunks AS c JOIN import_jobs AS j ON j.id = c.job_id WHERE j.uuid = $1 AND c.chunk_index = $2`, i.ref.JobID, chunk).Scan(&done)
	return done, err
}

// written applies a chunk that has been committed to the model.
func (l *life) written(ctx context.Context, i *imported, chunk int) error {
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
	for n, want := range l.outcomes(i, chunk, rows) {
		if got := job.Outcome(outcomes[rows[n].Number-first]); !fits(want, got) {
			l.say("row %d of %s is %s, and should be %s", rows[n].Number, i.name(), got, want)
		}
		i.settle(rows[n].Number, job.Outcome(outcomes[rows[n].Number-first]))
	}
	for _, row := range i.job.Displaced {
		i.settle(row, job.Errored)
	}
	i.commits[chunk] = i.job.Parts() - 1
	return l.compare(ctx, i.job)
}

// fits reports whether an outcome is the one of the model. A row that changes nothing may
// count as an update: one whose entity others of its file are about must.
func fits(want history.Outcome, got job.Outcome) bool {
	switch want {
	case history.Created:
		return got == job.Created
	case history.Updated:
		return got == job.Updated
	case history.Refused:
		return got == job.Errored
	case history.Skipped:
		return got == job.Skipped
	}
	return got != job.Created && got != job.Errored
}

// cancelled cancels an import.
func (l *life) cancelled(ctx context.Context, i *imported) error {
	l.act("%s is cancelled", i.name())
	t := i.begin(ctx, "cancel", func(ctx context.Context) error {
		_, err := i.functions.cancel.Cancel(ctx, i.ref)
		return err
	}, i.conclude)
	for slices.Contains(i.standing, t) {
		i.grant([]*task{t}, proceed)
	}
	if err := l.compare(ctx, nil); err != nil {
		return err
	}
	if i.undoes != nil {
		return l.endedUndo(ctx, i)
	}
	return l.execute(ctx, i)
}

// compare compares the database with the model. by is the import that may just have
// written, or nil.
func (l *life) compare(ctx context.Context, by *history.Job) error {
	snapshot, err := l.scene.Take(ctx, l.admin, l.organisation)
	if err != nil {
		return err
	}
	seen := make(history.Seen, len(snapshot))
	for key, e := range snapshot {
		values := make(map[string]string, len(e.Values))
		for column, v := range e.Values {
			if values[column] = history.Null; v != nil {
				values[column] = *v
			}
		}
		seen[history.Key(key)] = values
	}
	for _, f := range l.world.Compare(seen, by) {
		l.say("the database is not as it should be: %s", f)
	}
	return nil
}

// explained compares what all imports say they have changed with what has changed.
func (l *life) explained(ctx context.Context) error {
	after, err := l.scene.Take(ctx, l.admin, l.organisation)
	if err != nil {
		return err
	}
	var changes []checker.Change
	for _, i := range l.imports {
		if i.preview || i.planned != nil && i.job.Parts() == 0 {
			continue // what it shows has not been done
		}
		more, err := l.reader.changes(ctx, l.organisation, i.ref.JobID, i.script.Type)
		if err != nil {
			return err
		}
		changes = slices.Concat(changes, more)
	}
	for _, f := range l.before.Unexplained(after, changes) {
		l.say("the change sets do not explain what has changed: %s", f)
	}
	return nil
}
