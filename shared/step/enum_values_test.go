package step_test

import (
	"context"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// stubTasks ignores completed tasks; the tests run the next step themselves.
type stubTasks struct{}

func (stubTasks) CompleteIfDue(context.Context, job.ID, job.Phase, func(context.Context) (*job.Job, error)) (bool, error) {
	return true, nil
}

func (e *engine) review() *review.Service {
	log := telemetry.NewLogger(io.Discard, slog.LevelDebug)
	return review.New(e.DB, catalog.New(), stubTasks{}, telemetry.NewTransitions(log, telemetry.NewMetrics(io.Discard)), log)
}

// runUntilValues runs the job until it asks about values, and returns these by their texts.
func (e *engine) runUntilValues(t *testing.T, ref job.Ref, next string) map[string]job.MappedCell {
	t.Helper()
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	if e.job(t, ref).Status == job.ColumnMapping {
		_, err := e.review().ConfirmColumns(t.Context(), ref, "")
		require.NoError(t, err)
	}
	got, err := e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, next, got.Next)
	return e.cells(t, ref)
}

func (e *engine) cells(t *testing.T, ref job.Ref) map[string]job.MappedCell {
	t.Helper()
	cells, _, err := e.review().Cells(t.Context(), ref, job.CellPage{Page: job.Page{Limit: 1000}})
	require.NoError(t, err)
	found := make(map[string]job.MappedCell)
	for _, c := range cells {
		found[c.TargetField+" "+c.Value] = c
	}
	return found
}

// decideValues saves decisions about values and lets the import continue.
func (e *engine) decideValues(t *testing.T, ref job.Ref, decision ...review.CellDecision) {
	t.Helper()
	err := e.review().DecideCells(t.Context(), ref, "", decision)
	require.NoError(t, err)
	_, err = e.review().ConfirmCells(t.Context(), ref, "")
	require.NoError(t, err)
}

const dutch = "First name;Last name;Email;Type;Country;Gender\n" +
	"Anna;Berg;anna@x.org;senior;NL;Vrouw\n" +
	"Ben;Cole;ben@x.org;senior;Holland;m\n" +
	"Cleo;Dahl;cleo@x.org;senior;Nergens;vrouw \n" +
	"Dora;Eng;dora@x.org;senior;NL;onbekend\n" +
	"Eva;Falk;eva@x.org;senior;NL;zeg ik niet\n" +
	"Finn;Gran;no address;senior;NL;zeg ik niet\n"

// genders returns the genders of all persons, "" for none.
func (e *engine) genders(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws(' ', p.first_name, p.gender, c.code) ORDER BY p.first_name)
		FROM persons AS p LEFT JOIN countries AS c ON c.id = p.country_id`)
}

// TestUnknownWordsAreAsked: a word that is not in the enum is mapped to one of its values, to no
// value, or its rows are left out.
func TestUnknownWordsAreAsked(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.create(t, "MEMBERSHIP", "leden.csv", dutch, asking)
	open := e.runUntilValues(t, ref, "CELL_MAPPING")
	require.NotContains(t, open, "GENDER m", "known words are not asked about")
	require.Equal(t, int64(1), open["GENDER Vrouw"].Rows)
	require.Equal(t, int64(2), open["GENDER zeg ik niet"].Rows)
	require.Equal(t, job.Unresolved, open["GENDER onbekend"].Status)
	e.decideValues(t, ref,
		review.CellDecision{ID: open["GENDER Vrouw"].ID, TargetValue: "female"}, review.CellDecision{ID: open["GENDER vrouw"].ID, TargetValue: "FEMALE"},
		review.CellDecision{ID: open["GENDER zeg ik niet"].ID, Ignore: true}, review.CellDecision{ID: open["ID_COUNTRY Holland"].ID, TargetValue: "NLD"},
		review.CellDecision{TargetField: "GENDER", Empty: true}, review.CellDecision{TargetField: "ID_COUNTRY", Empty: true})
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{
		"2 CREATED", "3 CREATED", "4 CREATED", "5 CREATED", "6 SKIPPED GENDER CELL_UNRESOLVED", "7 ERROR EMAIL CELL_EMAIL",
	}, e.results(t, ref))
	require.Equal(t, []string{"Anna FEMALE NL", "Ben MALE NL", "Cleo FEMALE", "Dora NL"}, e.genders(t))
	require.True(t, e.job(t, ref).Progress.Reconciles())
}

// TestLateUnknownWordDefersRow: only the rows with the word are deferred.
func TestLateUnknownWordDefersRow(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	ref := e.create(t, "MEMBERSHIP", "leden.csv", dutch, asking)
	e.runUntilValues(t, ref, "CELL_MAPPING")
	e.Exec(t, `DELETE FROM import_cell_mappings WHERE source_value ILIKE 'vrouw' OR status = 'UNRESOLVED' AND target_field = 'ID_COUNTRY'`)
	open := e.cells(t, ref)
	e.decideValues(t, ref, review.CellDecision{ID: open["GENDER onbekend"].ID, TargetValue: "OTHER"}, review.CellDecision{ID: open["GENDER zeg ik niet"].ID, Empty: true})
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, true)
	require.Equal(t, job.CellMapping, e.job(t, ref).Status)
	require.Equal(t, []string{"5 CREATED", "6 CREATED", "7 ERROR EMAIL CELL_EMAIL"}, e.results(t, ref))
	require.Equal(t, int64(3), e.job(t, ref).Progress.Counts.Deferred)
	met := e.cells(t, ref)
	require.Equal(t, int64(2), met["GENDER Vrouw"].FirstRow)
	require.Equal(t, int64(4), met["GENDER vrouw"].FirstRow)
	e.decideValues(t, ref, review.CellDecision{TargetField: "GENDER", TargetValue: "FEMALE"}, review.CellDecision{TargetField: "ID_COUNTRY", Empty: true})
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)

	// The country of row 4 was not checked while its gender was undecided.
	require.Equal(t, job.CellMapping, e.job(t, ref).Status)
	e.decideValues(t, ref, review.CellDecision{TargetField: "ID_COUNTRY", Empty: true})
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"Anna FEMALE NL", "Ben MALE", "Cleo FEMALE", "Dora OTHER NL", "Eva NL"}, e.genders(t))
	require.True(t, e.job(t, ref).Progress.Reconciles())
}

// TestOneShotImportRefusesUnknownWords: without questions, and after values were skipped, such
// words are errors.
func TestOneShotImportRefusesUnknownWords(t *testing.T) {
	t.Parallel()
	want := []string{
		"2 ERROR GENDER CELL_ENUM", "3 ERROR ID_COUNTRY CELL_UNRESOLVED", "4 ERROR GENDER CELL_ENUM",
		"5 ERROR GENDER CELL_ENUM", "6 ERROR GENDER CELL_ENUM", "7 ERROR EMAIL CELL_EMAIL GENDER CELL_ENUM",
	}
	e := setup(t, 3)
	shot := e.create(t, "MEMBERSHIP", "leden.csv", dutch, member)
	e.prepare(t, shot)
	e.drain(t, false)
	require.Equal(t, want, e.results(t, shot))
	require.Empty(t, e.cells(t, shot))

	started := e.create(t, "MEMBERSHIP", "leden.csv", dutch, asking)
	e.runUntilValues(t, started, "CELL_MAPPING")
	_, err := e.review().StartProcessing(t.Context(), started, "")
	require.NoError(t, err)
	require.NoError(t, e.split.Run(t.Context(), started))
	e.drain(t, false)
	require.Equal(t, want, e.results(t, started))
}

// TestBooleanWordsAreMapped: yes and no in unforeseen words.
func TestBooleanWordsAreMapped(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	file := "Email,Name,Active\na@x.org,Anna,igen\nb@x.org,Ben,nem\nc@x.org,Cleo,tak\nd@x.org,Dora,\n"
	ref := e.create(t, "USER", "users.csv", file, func(j *job.Job) { j.AutoStart = false })
	open := e.runUntilValues(t, ref, "CELL_MAPPING")
	require.Len(t, open, 2)
	e.decideValues(t, ref, review.CellDecision{ID: open["ACTIVE igen"].ID, TargetValue: "true"}, review.CellDecision{ID: open["ACTIVE nem"].ID, TargetValue: "FALSE"})
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	require.Equal(t, []string{"Anna true", "Ben false", "Cleo true", "Dora true"}, postgrestest.Query[[]string](t, e.Database,
		`SELECT array_agg(name || ' ' || active ORDER BY name) FROM users`))
}

func TestKnownWordsAskNothing(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ref := e.create(t, "USER", "users.csv", "Email,Name,Active\na@x.org,Anna,yes\nb@x.org,Ben,nie\n", func(j *job.Job) { j.AutoStart = false })
	require.Empty(t, e.runUntilValues(t, ref, resolve.NextSplit))
}

// TestInvalidDecisionsAreRefused: none of the decisions is saved.
func TestInvalidDecisionsAreRefused(t *testing.T) {
	t.Parallel()
	e := setup(t, 10)
	ref := e.create(t, "MEMBERSHIP", "leden.csv", strings.ReplaceAll(dutch, "senior", "oud"), asking)
	open := e.runUntilValues(t, ref, "CELL_MAPPING")
	gender, kind := open["GENDER onbekend"].ID, open["MEMBERSHIP_TYPE_ID oud"].ID
	one := int64(1)
	for name, decision := range map[string]review.CellDecision{
		"unknown word of the field":          {ID: gender, TargetValue: "MAYBE"},
		"word with an entity id":             {ID: gender, TargetEntityID: &one},
		"word to be created":                 {ID: gender, Create: true},
		"required field left empty":          {ID: kind, Empty: true},
		"unknown entity":                     {ID: kind, TargetValue: "Nobody"},
		"two decisions":                      {ID: gender, Empty: true, Ignore: true},
		"confirmation without a target":      {ID: gender, Confirm: true},
		"empty default for a required field": {TargetField: "MEMBERSHIP_TYPE_ID", Empty: true},
	} {
		err := e.review().DecideCells(t.Context(), ref, "", []review.CellDecision{decision})
		require.Equal(t, problem.MappingInvalid, problem.CodeOf(err), name)
	}
	require.Equal(t, open, e.cells(t, ref))
	found, err := e.review().Candidates(t.Context(), ref, review.CandidateQuery{Field: "GENDER", Value: "femal"})
	require.NoError(t, err)
	require.Len(t, found, 3)
	require.Equal(t, "FEMALE", found[0].Name)
	require.True(t, found[0].IsWord)
	require.Positive(t, found[0].Score)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		cells, err := e.DB.CellMappings(t.Context(), tx, e.job(t, ref).Key)
		require.Len(t, cells, len(open))
		return err
	}))
}
