package step_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/notify/callback"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
)

// stubWaits records the outputs with which waiting tasks are completed.
type stubWaits struct{ next []string }

func (w *stubWaits) CompleteIfDue(ctx context.Context, _ job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (bool, error) {
	j, err := look(ctx)
	if err != nil {
		return false, err
	}
	next, due := callback.Due(j, phase)
	if due {
		w.next = append(w.next, next)
	}
	return due, nil
}

// reviewHarness is an engine with a person who answers questions.
type reviewHarness struct {
	*engine
	waits   *stubWaits
	reading *reading.Service
	review  *review.Service
}

func startReview(t *testing.T) *reviewHarness {
	t.Helper()
	a := &reviewHarness{engine: setup(t, 2), waits: &stubWaits{}}
	log := telemetry.NewLogger(a.log, slog.LevelDebug)
	moves := telemetry.NewTransitions(log, telemetry.NewMetrics(a.metrics))
	a.reading = reading.New(a.DB, a.memory, a.waits, moves, sheet.DefaultLimits(), log)
	a.review = review.New(a.DB, catalog.New(), a.waits, moves, log)
	return a
}

// createReviewed creates a job of users that asks about its columns.
func (a *reviewHarness) createReviewed(t *testing.T, file, options string) job.Ref {
	t.Helper()
	ref := a.create(t, "USER", "users.csv", file, func(j *job.Job) { j.AutoStart, j.Options = false, json.RawMessage(options) })
	ref.MachineVersion = job.ReanalyzeMachineVersion
	a.analyzeUntilReview(t, ref)
	return ref
}

// analyzeUntilReview analyses the file and requires a question about its columns.
func (a *reviewHarness) analyzeUntilReview(t *testing.T, ref job.Ref) {
	t.Helper()
	next, err := a.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "COLUMN_MAPPING", next.Next)
	require.Equal(t, job.ColumnMapping, a.job(t, ref).Status)
}

// reanalyze changes the reading options of the file.
func (a *reviewHarness) reanalyze(t *testing.T, ref job.Ref, change string) (*job.Job, error) {
	t.Helper()
	var c reading.OptionsPatch
	require.NoError(t, json.Unmarshal([]byte(change), &c))
	return a.reading.Reanalyze(t.Context(), ref, "", c)
}

// columns returns the columns with their mapped fields.
func (a *reviewHarness) columns(t *testing.T, ref job.Ref) map[string]job.MappedColumn {
	t.Helper()
	_, columns, err := a.review.Columns(t.Context(), ref)
	require.NoError(t, err)
	found := make(map[string]job.MappedColumn, len(columns))
	for _, c := range columns {
		found[c.Header] = c
	}
	return found
}

// exportedFile is a file with a first row that looks like its header, and a last row
// that is not data.
const exportedFile = "Export,of,members\nMail address,Who,Shoe\na@x.org,Anna,40\n\nb@x.org,Ben,41\nTotal,2,\n"

// The file is first read with detected options, then with a person's options and the previous
// decisions. Its rows are imported with the final options, and every line is accounted for.
func TestFileIsReanalyzedUntilConfirmed(t *testing.T) {
	t.Parallel()
	a := startReview(t)
	ref := a.createReviewed(t, exportedFile, `{}`)
	require.Contains(t, a.columns(t, ref), "Export")

	j, err := a.reanalyze(t, ref, `{"headerRow":2,"skipFooterRows":1}`)
	require.NoError(t, err)
	require.Equal(t, job.Uploaded, j.Status)
	require.Equal(t, job.Analysing, j.Activity())
	require.Equal(t, []string{"ANALYZE"}, a.waits.next)
	_, err = a.review.ConfirmColumns(t.Context(), ref, "")
	require.Equal(t, problem.StateConflict, problem.CodeOf(err), "columns cannot be confirmed during the reanalysis")
	a.analyzeUntilReview(t, ref)

	found := a.columns(t, ref)
	_, _, err = a.review.DecideColumns(t.Context(), ref, "", []review.ColumnDecision{
		{ID: found["Mail address"].ID, TargetField: "EMAIL"}, {ID: found["Who"].ID, TargetField: "NAME", DateOrder: "mdy"}, {ID: found["Shoe"].ID, Ignore: true},
	})
	require.NoError(t, err)
	_, err = a.reanalyze(t, ref, `{"decimalMark":","}`)
	require.NoError(t, err)
	a.analyzeUntilReview(t, ref)
	again := a.columns(t, ref)
	require.Equal(t, "EMAIL", again["Mail address"].TargetField)
	require.Equal(t, "NAME", again["Who"].TargetField)
	require.Equal(t, "mdy", again["Who"].Locale.DateOrder.Value)
	require.Equal(t, ",", again["Who"].Locale.DecimalMark.Value)
	require.Equal(t, job.Ignored, again["Shoe"].Status)
	require.True(t, again["Shoe"].Decided)

	_, err = a.review.ConfirmColumns(t.Context(), ref, "")
	require.NoError(t, err)
	_, err = a.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.NoError(t, a.split.Run(t.Context(), ref))
	a.drain(t, false)
	require.NoError(t, a.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"3 CREATED", "5 CREATED"}, a.results(t, ref))
	j = a.job(t, ref)
	require.Equal(t, job.Completed, j.Status)
	require.True(t, j.Progress.Reconciles(), "%+v", j.Progress)
	require.EqualValues(t, 3, j.Progress.HeaderLines)
}

// A decision about a column belongs to that column: after a reanalysis, another column that
// matches the same field does not inherit it.
func TestDecisionSurvivesReanalysis(t *testing.T) {
	t.Parallel()
	a := startReview(t)
	ref := a.createReviewed(t, "Kontakt,Name,Note\na@x.org,Anna,b\n", `{}`)
	_, _, err := a.review.DecideColumns(t.Context(), ref, "", []review.ColumnDecision{
		{ID: a.columns(t, ref)["Name"].ID, Ignore: true}, {ID: a.columns(t, ref)["Note"].ID, TargetField: "NAME"}, {ID: a.columns(t, ref)["Kontakt"].ID, TargetField: "EMAIL"},
	})
	require.NoError(t, err)
	_, err = a.reanalyze(t, ref, `{"dateOrder":"dmy"}`)
	require.NoError(t, err)
	a.analyzeUntilReview(t, ref)
	found := a.columns(t, ref)
	require.Equal(t, "NAME", found["Note"].TargetField)
	require.Equal(t, "EMAIL", found["Kontakt"].TargetField)
	require.Equal(t, job.Ignored, found["Name"].Status)
}

func TestReanalyzeFromValueReview(t *testing.T) {
	t.Parallel()
	a := startReview(t)
	ref := a.create(t, "MEMBERSHIP", "roster.csv", "First name;Last name;Email;Type\nAnna;Berg;anna@x.org;Senior\nBen;Cole;ben@x.org;Veteran\nTotal;;;Sum\n", func(j *job.Job) {
		member(j)
		j.AutoStart = false
	})
	ref.MachineVersion = job.ReanalyzeMachineVersion
	next, err := a.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	if next.Next == "COLUMN_MAPPING" {
		_, err = a.review.ConfirmColumns(t.Context(), ref, "")
		require.NoError(t, err)
	}
	_, err = a.reanalyze(t, ref, `{"skipFooterRows":1}`)
	require.Equal(t, problem.StateConflict, problem.CodeOf(err), "no reanalysis while values are resolved")
	next, err = a.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "CELL_MAPPING", next.Next)
	cells, _, err := a.review.Cells(t.Context(), ref, job.CellPage{Page: job.Page{Limit: 10}})
	require.NoError(t, err)
	var decisions []review.CellDecision
	for _, c := range cells {
		if c.Value == "Veteran" {
			decisions = append(decisions, review.CellDecision{ID: c.ID, Ignore: true})
		}
	}
	err = a.review.DecideCells(t.Context(), ref, "", decisions)
	require.True(t, err == nil || problem.CodeOf(err) == problem.MappingIncomplete, "%v", err)

	a.waits.next = nil
	_, err = a.reanalyze(t, ref, `{"skipFooterRows":1}`)
	require.NoError(t, err)
	require.Equal(t, []string{"ANALYZE"}, a.waits.next)
	next, err = a.resolve.Run(t.Context(), ref)
	require.NoError(t, err, "a repeated resolve step succeeds")
	require.Equal(t, "CELL_MAPPING", next.Next, "the resolve step goes to the wait, which requests the reanalysis")
	_, err = a.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	if a.job(t, ref).Status == job.ColumnMapping {
		_, err = a.review.ConfirmColumns(t.Context(), ref, "")
		require.NoError(t, err)
	}
	next, err = a.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "SPLIT", next.Next, "the decision about Veteran is kept, and Sum is no longer a value")
}

// If a file cannot be read with the new options, the previous ones are kept and the question
// stays open.
func TestFailedReanalysisKeepsPreviousReading(t *testing.T) {
	t.Parallel()
	a := startReview(t)
	file := "Mail address,Who\na@x.org,Anna\n" + strings.Repeat("b@x.org,Ben\n", 200_000) + "c@x.org,\xe9\n"
	ref := a.createReviewed(t, file, `{"encoding":"windows-1252"}`)
	before := a.job(t, ref)
	_, err := a.reanalyze(t, ref, `{"encoding":"utf-16le"}`)
	if err != nil { // the beginning is not text in this encoding
		require.NotEqual(t, problem.Internal, problem.CodeOf(err))
	}
	_, err = a.reanalyze(t, ref, `{"encoding":"utf-8"}`)
	require.NoError(t, err, "only the end of the file is invalid in this encoding")
	a.analyzeUntilReview(t, ref)
	j := a.job(t, ref)
	require.JSONEq(t, string(before.Options), string(j.Options))
	require.JSONEq(t, string(before.Dialect), string(j.Dialect))
	require.Nil(t, j.PreviousOptions)
	require.Contains(t, strings.Join(j.WarningCodes, "\n"), "SOURCE_REFUSED: ")
	require.Contains(t, a.columns(t, ref), "Mail address")
}
