package step_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// stubBucket implements the bucket methods that a retry uses.
type stubBucket struct {
	submit.Objects
	*memory
}

func (k stubBucket) Head(ctx context.Context, key string) (object.Info, error) {
	return k.memory.Head(ctx, key)
}

// noopWorkflow implements the workflow methods that a retry uses.
type noopWorkflow struct{}

func (noopWorkflow) Start(context.Context, job.Ref) error { return nil }

// retry requests a retry of rows of a job.
func (e *engine) retry(t *testing.T, of job.Ref, all bool) (job.Ref, error) {
	t.Helper()
	quotas := quota.Limits{OpenImports: 100, AnnouncedBytes: 20 << 30, OpenExports: 20, Streams: 2, RequestsPerMinute: 100_000}
	log := slog.New(slog.DiscardHandler)
	s, err := submit.New(e.DB, stubBucket{memory: e.memory}, noopWorkflow{}, nil, telemetry.NewTransitions(log, telemetry.NewMetrics(e.metrics)),
		submit.Limits{FileBytes: 1 << 30, MultipartAbove: 100 << 20, PartBytes: 16 << 20, UploadLifetime: time.Hour, Quotas: quotas}, log)
	require.NoError(t, err)
	kind, err := e.types.Type(t.Context(), nil, 1, e.job(t, of).ImportType, e.job(t, of).TypeVersion)
	require.NoError(t, err)
	done, err := s.Retry(t.Context(), submit.RetryRequest{Ref: of, RequestID: "again", Type: kind.Declaration(), AllErrors: all, Uploader: "tester"})
	if err != nil {
		return job.Ref{}, err
	}
	return job.Ref{JobID: done.Job.ID, OrganisationID: 1}, nil
}

// runFile runs a job with an uploaded file to its end.
func (e *engine) runFile(t *testing.T, ref job.Ref, backwards bool) {
	t.Helper()
	e.prepare(t, ref)
	e.drain(t, backwards)
	require.NoError(t, e.complete.Run(t.Context(), ref))
}

// saveCorrections saves corrections of fields: "3 EMAIL" and a JSON value.
func (e *engine) saveCorrections(t *testing.T, ref job.Ref, corrections map[string]string) {
	t.Helper()
	j := e.job(t, ref)
	var all []job.Correction
	for place, value := range corrections {
		var c job.Correction
		_, err := fmt.Sscan(place, &c.Row, &c.Field)
		require.NoError(t, err)
		c.Value = json.RawMessage(value)
		all = append(all, c)
	}
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error { return e.DB.SaveCorrections(t.Context(), tx, j, all) }))
}

// workbookOf converts a CSV text to a workbook.
func workbookOf(t *testing.T, text string) string {
	t.Helper()
	x := excelize.NewFile()
	for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		for c, cell := range strings.Split(line, ",") {
			at, err := excelize.CoordinatesToCellName(c+1, i+1)
			require.NoError(t, err)
			require.NoError(t, x.SetCellStr("Sheet1", at, cell))
		}
	}
	b, err := x.WriteToBuffer()
	require.NoError(t, err)
	return b.String()
}

// TestCorrectedRowsKeepRowNumbers checks chunks that are byte ranges of the file and chunks with
// their own objects, for any chunk size.
func TestCorrectedRowsKeepRowNumbers(t *testing.T) {
	t.Parallel()
	const file = "Email,Name,Active\n" + "a@x.org,Anna,yes\n" + "ben at x,Ben,perhaps\n" + "c@x.org,Cleo,no\n" + "dora at x,Dora,yes\n" + "e@x.org,,yes\n"
	for _, chunkRows := range []int{1, 2, 100} {
		for _, workbook := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d rows a chunk, workbook %v", chunkRows, workbook), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				name, text := "users.csv", file
				if workbook {
					name, text = "users.xlsx", workbookOf(t, file)
				}
				first := e.create(t, "USER", name, text, nil)
				e.runFile(t, first, false)
				require.Equal(t, int64(3), e.job(t, first).OpenErrors())
				_, err := e.retry(t, first, false)
				require.Equal(t, problem.StateConflict, problem.CodeOf(err), "no row is corrected: %v", err)

				e.saveCorrections(t, first, map[string]string{"3 EMAIL": `"B@x.org"`, "3 ACTIVE": `true`, "5 EMAIL": `"dora still"`})
				second, err := e.retry(t, first, false)
				require.NoError(t, err)
				_, err = e.retry(t, first, true)
				require.NoError(t, err, "only row 6 is left to retry")
				e.runFile(t, second, true)
				require.Equal(t, []string{"3 CREATED", "5 ERROR EMAIL CELL_EMAIL"}, e.results(t, second))
				j := e.job(t, second)
				require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
				require.Equal(t, first.JobID, j.RetryOf)
				require.Equal(t, int64(2), e.job(t, first).OpenErrors())
				require.Equal(t, "Ben b@x.org 3 t", postgrestest.Query[string](t, e.Database,
					`SELECT concat_ws(' ', name, email, source_row, active) FROM users WHERE source_job = $1`, j.Key))

				_, err = e.retry(t, first, false)
				require.Equal(t, problem.StateConflict, problem.CodeOf(err), "row 5 has no new correction: %v", err)
				e.saveCorrections(t, first, map[string]string{"5 EMAIL": `"d@x.org"`, "3 NAME": `"Nobody"`})
				fourth, err := e.retry(t, first, false)
				require.NoError(t, err)
				e.runFile(t, fourth, false)
				require.Equal(t, []string{"5 CREATED"}, e.results(t, fourth), "row 3 was already created")
				require.Equal(t, int64(1), e.job(t, first).OpenErrors())
				require.Len(t, e.job(t, first).Retries, 3)
			})
		}
	}
}

// TestConcurrentRetriesShareNoRow checks any interleaving.
func TestConcurrentRetriesShareNoRow(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	file := "Email,Name\n"
	for i := range 40 {
		file += fmt.Sprintf("u%d at x,N\n", i)
	}
	first := e.create(t, "USER", "users.csv", file, nil)
	e.runFile(t, first, false)
	results := make(chan error, 4)
	for range cap(results) {
		go func() {
			_, err := e.retry(t, first, true)
			results <- err
		}()
	}
	made := 0
	for range cap(results) {
		if err := <-results; err == nil {
			made++
		} else {
			require.Equal(t, problem.StateConflict, problem.CodeOf(err), "%v", err)
		}
	}
	require.Equal(t, 1, made)
}

// TestCancelledRetryReopensRows: the rows can be retried again after the cancellation.
func TestCancelledRetryReopensRows(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	first := e.create(t, "MEMBERSHIP", "roster.csv", "First name,Last name,Email,Type\nAda,L,a@x.org,Unheard of\nBob,M,b@x.org,Unheard of\n", func(j *job.Job) { j.ContextID = new(int64(1)) })
	e.runFile(t, first, false)
	require.Equal(t, int64(2), e.job(t, first).OpenErrors())
	e.Exec(t, `INSERT INTO membership_types (organisation_id, name) VALUES (1, 'Unheard of')`)
	second, err := e.retry(t, first, true)
	require.NoError(t, err)
	e.prepare(t, second)
	require.NoError(t, e.process.Run(t.Context(), e.queued[0]))
	j := e.job(t, second)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		_, ok, err := e.DB.Transition(t.Context(), tx, j.Key, job.Transition{To: job.Cancelled})
		require.True(t, ok)
		return err
	}))
	e.queued = nil
	require.Equal(t, int64(1), e.job(t, first).OpenErrors())
	third, err := e.retry(t, first, true)
	require.NoError(t, err)
	e.runFile(t, third, false)
	require.Equal(t, []string{"3 CREATED"}, e.results(t, third))
	require.Zero(t, e.job(t, first).OpenErrors())
	require.Equal(t, int64(2), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM memberships`))
}

// TestCancelledPlannedRetryReopensRows cancels a plan while it is applied.
func TestCancelledPlannedRetryReopensRows(t *testing.T) {
	t.Parallel()
	e := setup(t, 1)
	first := e.create(t, "USER", "users.csv", "email,name\nann at x,Ann\nben at x,Ben\n", func(j *job.Job) { j.Plan = &job.Plan{Requested: true} })
	e.prepare(t, first)
	e.drain(t, false)
	e.awaitApproval(t, first)
	require.NoError(t, e.approve(t, first, job.SkipStale))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), first))
	e.saveCorrections(t, first, map[string]string{"2 EMAIL": `"a@x.org"`, "3 EMAIL": `"b@x.org"`})
	planned := func(all bool) job.Ref {
		again, err := e.retry(t, first, all)
		require.NoError(t, err)
		e.prepare(t, again)
		e.drain(t, false)
		e.awaitApproval(t, again)
		require.NoError(t, e.approve(t, again, job.SkipStale))
		return again
	}
	second := planned(false)
	require.NoError(t, e.process.Run(t.Context(), job.ChunkRef{Ref: second, Chunk: 0}))
	e.transition(t, e.job(t, second), job.Cancelled)
	e.queued = nil
	require.Equal(t, int64(1), e.job(t, first).OpenErrors())
	third := planned(true)
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), third))
	require.Equal(t, []string{"3 CREATED"}, e.results(t, third))
	require.Zero(t, e.job(t, first).OpenErrors())
	require.Equal(t, int64(2), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`))
}

// distantErrors returns entries with errors in rows of two ledger entries.
func distantErrors() string {
	file := strings.Builder{}
	file.WriteString("First name,Last name,Email,Category\n")
	for i := 2; i <= 10_010; i++ {
		switch i {
		case 5, 10_003:
			fmt.Fprintf(&file, "P%d,Q,no address,Junior\n", i)
		case 10_004, 10_005:
			fmt.Fprintf(&file, "P%d,Q,p%d@x.org,Unheard of\n", i, i)
		default:
			file.WriteString("\n")
		}
	}
	return file.String()
}

// TestWholeFileRowsAreRetried: only the failed rows are written, also if the file has several
// ledger entries and the rows several parts.
func TestWholeFileRowsAreRetried(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	first := e.createInEvent(t, "EVENT_PARTICIPANT", distantErrors(), `{}`)
	e.runWhole(t, first, 1)
	require.Equal(t, int64(4), e.job(t, first).OpenErrors())
	e.saveCorrections(t, first, map[string]string{"10003 EMAIL": `"c@x.org"`, "10004 EVENT_CATEGORY_NAME": `"junior"`, "10005 EVENT_CATEGORY_NAME": `"Unknown still"`})
	second, err := e.retry(t, first, false)
	require.NoError(t, err)
	next, err := e.analyze.Run(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, "WHOLE_FILE", next.Next)
	e.runWhole(t, second, 1)
	require.Equal(t, []string{"10003 CREATED", "10004 CREATED", "10005 ERROR EVENT_CATEGORY_NAME REFERENCE_NOT_FOUND"}, shortenErrors(e.results(t, second)))
	j := e.job(t, second)
	require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
	require.Equal(t, int64(2), e.job(t, first).OpenErrors())
	third, err := e.retry(t, first, true)
	require.NoError(t, err)
	require.Equal(t, int64(2), e.job(t, third).Progress.TotalRows, "rows 5 and 10005 are retried")
}

// TestWholeFileRetryIsGuarded: the rows are planned as one chunk, from any ledger entries.
func TestWholeFileRetryIsGuarded(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	first := e.createInEvent(t, "EVENT_PARTICIPANT", distantErrors(), `{}`)
	e.runWhole(t, first, 1)
	e.Exec(t, `INSERT INTO organisation_settings (organisation_id, guards) VALUES (1, '{"created": "0"}')`)
	e.saveCorrections(t, first, map[string]string{"5 EMAIL": `"a@x.org"`, "10003 EMAIL": `"c@x.org"`, "10004 EVENT_CATEGORY_NAME": `"Unknown still"`})
	second, err := e.retry(t, first, false)
	require.NoError(t, err)
	_, err = e.analyze.Run(t.Context(), second)
	require.NoError(t, err)
	next, err := e.wholeFile(t, 1).Run(t.Context(), second)
	require.NoError(t, err)
	require.Equal(t, callback.NextApproval, next.Next)
	require.Empty(t, e.awaitApproval(t, second))
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM persons`))
	require.NoError(t, e.approve(t, second, job.SkipStale))
	require.Len(t, e.queued, 1)
	e.applyWhole(t, second)
	require.Equal(t, []string{"5 CREATED", "10003 CREATED", "10004 ERROR EVENT_CATEGORY_NAME REFERENCE_NOT_FOUND"}, shortenErrors(e.results(t, second)))

	e.Exec(t, `DELETE FROM organisation_settings`)
	e.saveCorrections(t, first, map[string]string{"10004 EVENT_CATEGORY_NAME": `"junior"`})
	third, err := e.retry(t, first, false)
	require.NoError(t, err)
	_, err = e.analyze.Run(t.Context(), third)
	require.NoError(t, err)
	e.runWhole(t, third, 1)
	require.Equal(t, []string{"10004 CREATED"}, e.results(t, third))
}

// shortenErrors returns results in which different messages for the same error are equal.
func shortenErrors(results []string) []string {
	for i, r := range results {
		results[i] = strings.Replace(r, "CELL_UNRESOLVED", "REFERENCE_NOT_FOUND", 1)
	}
	return results
}

// An organisation's guards also apply to retries: neither corrected rows nor those of a plan
// bypass them.
func TestRetryIsGuarded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		settings string
		plan     *job.Plan
	}{
		"guards of the organisation": {`INSERT INTO organisation_settings (organisation_id, guards) VALUES (1, '{"created": "0"}')`, nil},
		"rows of a plan":             {"SELECT 1", &job.Plan{Requested: true}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 2)
			first := e.create(t, "USER", "users.csv", "email,name\na@x.org,Anna\nben at x,Ben\n", func(j *job.Job) { j.Plan = c.plan })
			e.prepare(t, first)
			e.drain(t, false)
			if c.plan != nil {
				e.awaitApproval(t, first)
				require.NoError(t, e.approve(t, first, job.SkipStale))
				e.drain(t, false)
			}
			require.NoError(t, e.complete.Run(t.Context(), first))
			e.Exec(t, c.settings)
			e.saveCorrections(t, first, map[string]string{"3 EMAIL": `"b@x.org"`})

			discarded, err := e.retry(t, first, false)
			require.NoError(t, err)
			e.prepare(t, discarded)
			e.drain(t, false)
			require.Empty(t, e.awaitApproval(t, discarded))
			require.Equal(t, job.AwaitingApproval, e.job(t, discarded).Status)
			require.Zero(t, e.job(t, first).OpenErrors(), "the row is being retried")
			e.transition(t, e.job(t, discarded), job.Cancelled)
			require.Equal(t, int64(1), e.job(t, first).OpenErrors(), "the cancelled retry leaves the row open")

			again, err := e.retry(t, first, true)
			require.NoError(t, err, "a cancelled plan leaves its rows open")
			e.prepare(t, again)
			e.drain(t, false)
			require.Empty(t, e.awaitApproval(t, again))
			require.Equal(t, int64(1), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`))
			require.NoError(t, e.approve(t, again, job.SkipStale))
			e.drain(t, false)
			require.NoError(t, e.complete.Run(t.Context(), again))
			require.Equal(t, []string{"3 CREATED"}, e.results(t, again))
			require.Equal(t, int64(2), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM users`))
		})
	}
}
