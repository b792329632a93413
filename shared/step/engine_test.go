// Package step_test runs the steps one after the other, as the state machine would, against a
// real database. Files and the queue are in memory.
package step_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/step/complete"
	"github.com/loadbay/loadbay/shared/step/deadletter"
	"github.com/loadbay/loadbay/shared/step/process"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/step/split"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
	"github.com/loadbay/loadbay/shared/testing/steptest"
)

// memory is an in-memory bucket and queue.
type memory struct {
	*steptest.Bucket
	mu     sync.Mutex
	queued []job.ChunkRef
}

func (m *memory) SendChunks(_ context.Context, ref job.Ref, chunks []int) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range chunks {
		m.queued = append(m.queued, job.ChunkRef{Ref: ref, Chunk: c})
	}
	return nil
}

// rowsDoneCounter counts how often the AwaitRows task would have been completed.
type rowsDoneCounter struct {
	mu    sync.Mutex
	calls int
}

func (f *rowsDoneCounter) CompleteIfRowsDone(_ context.Context, _ *job.Job, p job.Progress) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p.RowsDone() {
		f.calls++
	}
	return nil
}

// engine holds all steps and their dependencies.
type engine struct {
	*postgrestest.Database
	*memory
	types      types
	rowsDone   *rowsDoneCounter
	analyze    *analyze.Step
	resolve    *resolve.Step
	split      *split.Step
	process    *process.Step
	complete   *complete.Step
	deadletter *deadletter.Step
	log        *bytes.Buffer
	metrics    *bytes.Buffer
}

// types are the import types.
type types interface {
	Types() []entity.Type
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

func setup(t *testing.T, chunkRows int) *engine {
	t.Helper()
	return setupTypes(t, chunkRows, catalog.New())
}

// setupTypes is setup with other import types.
func setupTypes(t *testing.T, chunkRows int, types types) *engine {
	t.Helper()
	e := &engine{types: types, Database: postgrestest.Setup(t), memory: &memory{Bucket: steptest.NewBucket()}, rowsDone: &rowsDoneCounter{}, log: &bytes.Buffer{}, metrics: &bytes.Buffer{}}
	e.Exec(t, `INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (1, 1, '2026', '2026-01-01', '2026-12-31')`)
	e.Exec(t, `INSERT INTO membership_types (id, organisation_id, name) VALUES (1, 1, 'Senior'), (2, 1, 'Junior')`)
	e.Exec(t, `SELECT setval('ids_of_1_membership_types', 1000)`)
	log := telemetry.NewLogger(e.log, slog.LevelDebug)
	metrics := telemetry.NewMetrics(e.metrics)
	moves := telemetry.NewTransitions(log, metrics)
	limits := sheet.DefaultLimits()
	e.analyze = analyze.New(e.DB, e.memory, types, moves, limits, log)
	e.resolve = resolve.New(e.DB, e.memory, types, steptest.EventRecorder{Recorder: moves}, limits, log)
	var err error
	e.split, err = split.New(e.DB, e.memory, e.memory, types, split.Config{ChunkRows: chunkRows}, limits, log)
	require.NoError(t, err)
	e.process = process.New(e.DB, e.memory, types, e.rowsDone, moves, metrics, limits, log)
	e.complete = complete.New(e.DB, types, moves, metrics, log)
	e.deadletter = deadletter.New(e.DB, e.memory, e.rowsDone, moves, metrics, limits, log)
	return e
}

// create creates a job for a file.
func (e *engine) create(t *testing.T, importType, filename, file string, change func(*job.Job)) job.Ref {
	t.Helper()
	now := time.Now()
	id := job.ID(uuid.NewString())
	j := &job.Job{
		ID: id, OrganisationID: 1, ImportType: importType, Mode: rowwrite.Insert, AutoStart: true, Filename: filename,
		ObjectKey: "uploads/1/" + string(id) + "/source", SizeBytes: int64(len(file)), RequestID: "test", UploadedAt: &now,
	}
	if change != nil {
		change(j)
	}
	require.NoError(t, e.Put(t.Context(), j.ObjectKey, "", []byte(file)))
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, err := e.DB.CreateJob(t.Context(), tx, j)
		return err
	}))
	return job.Ref{JobID: id, OrganisationID: 1}
}

// prepare runs the job until its chunks are queued.
func (e *engine) prepare(t *testing.T, ref job.Ref) {
	t.Helper()
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.NoError(t, e.split.Run(t.Context(), ref))
}

// drain processes the queued chunks in their order, or in reverse with backwards.
func (e *engine) drain(t *testing.T, backwards bool) {
	t.Helper()
	queued := e.queued
	e.queued = nil
	for i := range queued {
		if backwards {
			i = len(queued) - 1 - i
		}
		require.NoError(t, e.process.Run(t.Context(), queued[i]))
	}
}

func (e *engine) job(t *testing.T, ref job.Ref) *job.Job {
	t.Helper()
	var j *job.Job
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		j, err = e.DB.Job(t.Context(), tx, ref.JobID)
		return err
	}))
	return j
}

// results returns all rows in short form: "2 CREATED", "3 ERROR EMAIL CELL_EMAIL".
func (e *engine) results(t *testing.T, ref job.Ref) []string {
	t.Helper()
	var out []string
	j := e.job(t, ref)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		found, err := e.DB.Results(t.Context(), tx, j.Key, postgres.ResultFilter{Page: job.Page{Limit: 1 << 30}})
		for _, r := range found {
			line := fmt.Sprintf("%d %s", r.Row, r.Outcome)
			for _, f := range r.Errors {
				line += " " + f.Field + " " + string(f.Code)
			}
			out = append(out, line)
		}
		return err
	}))
	return out
}

const users = "Email,Full name,Active\n" +
	"a@x.org,Anna,yes\n" +
	"not an address,Ben,yes\n" +
	"\n" +
	"c@x.org,,maybe\n" +
	"d@x.org,\"Dora\nthe second\",no\n" +
	"a@x.org,Anna again,yes\n" +
	"e@x.org,Ed\n"

func TestEveryRowHasOneOutcome(t *testing.T) {
	t.Parallel()
	for _, chunkRows := range []int{1, 2, 3, 100} {
		for _, backwards := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d rows a chunk, backwards %v", chunkRows, backwards), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				ref := e.create(t, "USER", "users.csv", users, nil)
				e.prepare(t, ref)
				e.drain(t, backwards)
				require.Equal(t, 1, e.rowsDone.calls)
				require.NoError(t, e.complete.Run(t.Context(), ref))
				require.Equal(t, []string{
					"2 CREATED",
					"3 ERROR EMAIL CELL_EMAIL",
					"5 ERROR NAME CELL_REQUIRED ACTIVE CELL_BOOLEAN",
					"6 CREATED",
					"7 ERROR EMAIL ROW_DUPLICATE",
					"8 ERROR  ROW_WIDTH", // the last cell is missing
				}, e.results(t, ref))
				j := e.job(t, ref)
				require.Equal(t, job.Completed, j.Status)
				require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
				require.Equal(t, int64(6), j.Progress.TotalRows)
				require.Equal(t, []string{"Anna", "Dora\nthe second"}, postgrestest.Query[[]string](t, e.Database,
					`SELECT array_agg(name ORDER BY source_row) FROM users`))
			})
		}
	}
}

func TestRedeliveredChunkChangesNothing(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.create(t, "USER", "users.csv", users, nil)
	e.prepare(t, ref)
	again := append([]job.ChunkRef(nil), e.queued...)
	e.drain(t, false)
	before, outcomes := e.job(t, ref).Progress, e.results(t, ref)
	for _, c := range again {
		require.NoError(t, e.process.Run(t.Context(), c))
	}
	require.NoError(t, e.split.Run(t.Context(), ref), "running the splitter again is harmless")
	require.Empty(t, e.queued)
	require.Equal(t, before, e.job(t, ref).Progress)
	require.Equal(t, outcomes, e.results(t, ref))
}

func TestConcurrentSameChunkHasOneEffect(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.create(t, "USER", "users.csv", users, nil)
	e.prepare(t, ref)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			if err := e.process.Run(context.Background(), e.queued[0]); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	j := e.job(t, ref)
	require.Equal(t, 1, j.Progress.ChunksDone)
	require.Equal(t, int64(6), j.Progress.Counts.Processed())
}

func TestNoRowWrittenAfterCancel(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.create(t, "USER", "users.csv", users, nil)
	e.prepare(t, ref)
	require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
	j := e.job(t, ref)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, ok, err := e.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Cancelled})
		require.True(t, ok)
		return err
	}))
	written := postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`)
	e.drain(t, false)
	require.Equal(t, written, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`))
	require.Error(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, job.Cancelled, e.job(t, ref).Status)
}

// failFirstChunk fails the first chunk, twice, and completes the import with the others.
func (e *engine) failFirstChunk(t *testing.T, ref job.Ref) {
	t.Helper()
	require.NoError(t, e.deadletter.Run(t.Context(), e.queued[0]))
	require.NoError(t, e.deadletter.Run(t.Context(), e.queued[0]), "a second delivery is harmless")
	e.queued = e.queued[1:]
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
}

func TestDeadLetterSetsRowOutcomes(t *testing.T) {
	t.Parallel()
	e := setup(t, 3)
	ref := e.create(t, "USER", "users.csv", users, nil)
	e.prepare(t, ref)
	e.failFirstChunk(t, ref)
	j := e.job(t, ref)
	require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
	require.Contains(t, e.results(t, ref), "2 ERROR  ROW_UNDELIVERED")
	require.Equal(t, 1, e.rowsDone.calls)
}

// The last chunk fails, and a row of another chunk has an unknown value.
func TestJobAsksForValuesAfterLastChunkFails(t *testing.T) {
	t.Parallel()
	for _, plan := range []*job.Plan{nil, {Requested: true}} {
		e := setup(t, 2)
		ref := e.create(t, "MEMBERSHIP", "roster.csv", roster, func(j *job.Job) { member(j); j.AutoStart, j.Plan = false, plan })
		_, err := e.analyze.Run(t.Context(), ref)
		require.NoError(t, err)
		e.Exec(t, `UPDATE import_column_mappings SET status = 'IGNORED' WHERE status = 'UNRESOLVED'`)
		j := e.job(t, ref)
		e.transition(t, j, job.CellMapping)
		e.transition(t, j, job.Processing)
		require.NoError(t, e.split.Run(t.Context(), ref))
		require.Len(t, e.queued, 3)
		last := e.queued[2]
		e.queued = e.queued[:2]
		e.drain(t, false)
		require.Equal(t, job.Processing, e.job(t, ref).Status)
		require.NoError(t, e.deadletter.Run(t.Context(), last))
		j = e.job(t, ref)
		require.Equal(t, job.CellMapping, j.Status)
		require.Equal(t, int64(1), j.Progress.Counts.Deferred)
		require.Equal(t, 1, e.rowsDone.calls)
		require.NoError(t, e.deadletter.Run(t.Context(), last), "a second delivery is harmless")

		e.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', target_entity_id = '1' WHERE source_value = 'Veteran'`)
		e.transition(t, j, job.Processing)
		require.NoError(t, e.split.Run(t.Context(), ref))
		require.Len(t, e.queued, 1)
		e.drain(t, false)
		require.Equal(t, "4 CREATED", e.results(t, ref)[2])
		require.True(t, e.job(t, ref).Progress.Reconciles())
	}
}

func TestPoisonRowFailsAlone(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.Exec(t, `ALTER TABLE users ADD CHECK (name <> 'Poison')`)
	file := "email,name\n"
	for i := range 50 {
		name := "N"
		if i == 17 {
			name = "Poison"
		}
		file += fmt.Sprintf("u%d@x.org,%s\n", i, name)
	}
	ref := e.create(t, "USER", "users.csv", file, nil)
	e.prepare(t, ref)
	e.drain(t, false)
	require.Equal(t, job.Counts{Created: 49, Errored: 1}, e.job(t, ref).Progress.Counts)
	require.Contains(t, e.results(t, ref), "19 ERROR  ROW_REJECTED")
	require.NotContains(t, e.log.String(), "Poison", "logs contain no cell values")
}

const roster = "First name;Last name;Email;Type;Country;Shoe size\n" +
	"Anna;Berg;anna@x.org;senior;ZA;40\n" +
	"Ben;Cole;ben@x.org;2;South Africa;41\n" +
	"Cleo;Dahl;cleo@x.org;Veteran;NOR;42\n" +
	"Dora;Eng;;Junior;;43\n" +
	"Anna;Berg;ANNA@x.org;Junior;SWE;44\n"

func member(j *job.Job) {
	period := int64(1)
	j.ContextID = &period
}

// TestCountryNamesInManyLanguages: exact names match without a question, others are asked.
func TestCountryNamesInManyLanguages(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ref := e.create(t, "MEMBERSHIP", "roster.csv", "First name;Last name;Email;Type;Country\n"+
		"Anna;Berg;anna@x.org;1;Deutschland\n"+
		"Ben;Cole;ben@x.org;1;österreich\n"+
		"Cleo;Dahl;cleo@x.org;1;Estados Unidos\n"+
		"Dora;Eng;dora@x.org;1;Węgry\n"+
		"Eva;Falk;eva@x.org;1;Osterreich\n", member)
	e.prepare(t, ref)
	e.drain(t, false)
	require.Equal(t, []string{"2 CREATED", "3 CREATED", "4 CREATED", "5 CREATED", "6 ERROR ID_COUNTRY CELL_UNRESOLVED"}, e.results(t, ref))
	require.Equal(t, []string{"Anna DE", "Ben AT", "Cleo US", "Dora HU"}, postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(p.first_name || ' ' || c.code ORDER BY p.first_name) FROM persons AS p JOIN countries AS c ON c.id = p.country_id`))
}

func TestMembershipsResolveTypesAndCountries(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.create(t, "MEMBERSHIP", "roster.csv", roster, member)
	e.prepare(t, ref)
	e.drain(t, true)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{
		"2 CREATED",
		"3 CREATED",
		"4 ERROR MEMBERSHIP_TYPE_ID CELL_UNRESOLVED",
		"5 ERROR EMAIL CELL_REQUIRED",
		"6 ERROR  ROW_DUPLICATE",
	}, e.results(t, ref))
	require.Equal(t, []string{"Anna Senior ZA", "Ben Junior ZA"}, postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(p.first_name || ' ' || t.name || ' ' || c.code ORDER BY p.first_name)
		FROM memberships m JOIN persons p ON p.id = m.person_id JOIN membership_types t ON t.id = m.type_id JOIN countries c ON c.id = p.country_id`))

	again := e.create(t, "MEMBERSHIP", "roster.csv", roster, member)
	e.prepare(t, again)
	e.drain(t, false)
	require.Equal(t, []string{"2 SKIPPED  ALREADY_EXISTS", "3 SKIPPED  ALREADY_EXISTS"}, e.results(t, again)[:2])
}

func TestUnknownValueDefersRow(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	interactive := func(j *job.Job) { member(j); j.AutoStart = false }
	ref := e.create(t, "MEMBERSHIP", "roster.csv", roster, interactive)
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, analyze.NextColumns, next.Next, "the column Shoe size has no field")
	j := e.job(t, ref)
	e.Exec(t, `UPDATE import_column_mappings SET status = 'IGNORED' WHERE status = 'UNRESOLVED'`)
	e.transition(t, j, job.CellMapping)
	next, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPING", next.Next)
	require.Equal(t, []string{"Veteran"}, postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(source_value) FROM import_cell_mappings WHERE status = 'UNRESOLVED'`))

	// A value that first occurs while processing: the question was not asked.
	e.Exec(t, `DELETE FROM import_cell_mappings`)
	e.transition(t, j, job.Processing)
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	j = e.job(t, ref)
	require.Equal(t, job.CellMapping, j.Status)
	require.Equal(t, int64(1), j.Progress.Counts.Deferred)
	require.Equal(t, 1, e.rowsDone.calls)

	// The splitter runs again after it missed the confirmation that its messages were queued.
	require.NoError(t, e.split.Run(t.Context(), ref))
	require.Empty(t, e.queued)
	require.Equal(t, j.Progress, e.job(t, ref).Progress)

	e.Exec(t, `UPDATE import_cell_mappings SET status = 'MANUAL_MATCHED', target_entity_id = '1' WHERE source_value = 'Veteran'`)
	e.transition(t, j, job.Processing)
	require.NoError(t, e.split.Run(t.Context(), ref))
	require.Len(t, e.queued, 1, "only the chunk with the deferred row is queued again")
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, "4 CREATED", e.results(t, ref)[2])
	require.True(t, e.job(t, ref).Progress.Reconciles())
}

func (e *engine) transition(t *testing.T, j *job.Job, to job.Status) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, ok, err := e.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: to})
		require.True(t, ok)
		return err
	}))
}

func TestUnreadableFilesReportReason(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		file string
		code problem.Code
		says string
	}{
		"empty":          {"", problem.FileEmpty, ""},
		"a PDF":          {"%PDF-1.7\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n", problem.UnsupportedFormat, "PDF"},
		"missing column": {"Mail,Age\na@x.org,3\n", problem.RequiredColumnMissing, "Name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 10)
			ref := e.create(t, "USER", "users.csv", c.file, nil)
			_, err := e.analyze.Run(t.Context(), ref)
			require.Equal(t, c.code, problem.CodeOf(err), "%v", err)
			require.Contains(t, problem.From(err).Message, c.says)
			require.Equal(t, job.Uploaded, e.job(t, ref).Status)
		})
	}
}

func TestFileWithoutRowsCompletes(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ref := e.create(t, "USER", "users.csv", "email,name\n", nil)
	e.prepare(t, ref)
	require.Empty(t, e.queued)
	require.True(t, e.job(t, ref).Progress.RowsDone())
	require.NoError(t, e.complete.Run(t.Context(), ref))
	j := e.job(t, ref)
	require.Equal(t, job.Completed, j.Status)
	require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
	require.Equal(t, 100, j.Progress.Percent())
}

func TestDryRunMatchesImportAndWritesNothing(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.create(t, "USER", "users.csv", users, func(j *job.Job) { j.DryRun = true })
	e.prepare(t, ref)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Contains(t, e.results(t, ref), "2 CREATED")
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`))
}

func TestDialectIsSavedWithJob(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ref := e.create(t, "USER", "users.xlsx", "email;name\na@x.org;A\n", nil)
	e.prepare(t, ref)
	var d sheet.Dialect
	j := e.job(t, ref)
	require.NoError(t, json.Unmarshal(j.Dialect, &d))
	require.Equal(t, ";", d.Delimiter)
	require.Equal(t, []string{"FORMAT_MISMATCH"}, j.WarningCodes)
}

// TestUncertainEncodingIsWarned: the job has a warning unless the caller specified the encoding.
func TestUncertainEncodingIsWarned(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	const file = "email,name\na@x.org,Ibr\x9A\n"
	ref := e.create(t, "USER", "users.csv", file, nil)
	e.prepare(t, ref)
	warnings := e.job(t, ref).WarningCodes
	require.Len(t, warnings, 1)
	require.Regexp(t, `^ENCODING_UNSURE: read as [a-z0-9-]+, with the word "Ibr."; as [a-z0-9-]+, it would be "Ibr."\.`, warnings[0])

	ref = e.create(t, "USER", "users.csv", file, func(j *job.Job) { j.Options = json.RawMessage(`{"encoding":"cp1250"}`) })
	e.prepare(t, ref)
	require.Empty(t, e.job(t, ref).WarningCodes)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, "Ibrš", postgrestest.Query[string](t, e.Database, `SELECT name FROM users`))
}

func TestTruncatedFileWritesNoRow(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	var file strings.Builder
	file.WriteString("email,name\n")
	for i := range 5000 {
		fmt.Fprintf(&file, "u%d@x.org,User\n", i)
	}
	file.WriteString("last@x.org,\"never closed\n")
	ref := e.create(t, "USER", "users.csv", file.String(), nil)
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	_, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	err = e.split.Run(t.Context(), ref)
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(err), "%v", err)
	require.Contains(t, problem.From(err).Message, "5002")
	require.Empty(t, e.queued)
}
