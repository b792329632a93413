package step_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	rules "github.com/loadbay/loadbay/shared/changes/undo"
	"github.com/loadbay/loadbay/shared/imports/pastanswer"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// columnsByHeader returns the columns of an import, and what earlier imports suggest for them.
func (e *engine) columnsByHeader(t *testing.T, ref job.Ref) (columns map[string]job.MappedColumn, past map[string]*pastanswer.Entry) {
	t.Helper()
	j, all, err := e.review().Columns(t.Context(), ref)
	require.NoError(t, err)
	kind, err := e.types.Type(t.Context(), nil, 1, j.ImportType, 0)
	require.NoError(t, err)
	var found map[int64]*pastanswer.Entry
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		found, err = e.review().PastColumnAnswers(t.Context(), tx, j, kind.Declaration(), all)
		return err
	}))
	columns, past = make(map[string]job.MappedColumn), make(map[string]*pastanswer.Entry)
	for _, c := range all {
		columns[c.Header] = c
		if found[c.ID] != nil {
			past[c.Header] = found[c.ID]
		}
	}
	return columns, past
}

// oddRoster is a file with an unknown header and an unknown value for the type of membership.
func oddRoster(number int) string {
	return fmt.Sprintf("First name;Last name;Email;Zork;Gender;Quux\nAnna%[1]d;Berg;anna%[1]d@x.org;old hand;zeg ik niet;1\n", number)
}

// answerOddRoster imports an odd roster to its end: a person answers what Zork, the old hand and the
// gender mean, and that Quux is ignored.
func (e *engine) answerOddRoster(t *testing.T, number int, membershipType string) job.Ref {
	t.Helper()
	ref := e.create(t, "MEMBERSHIP", "odd.csv", oddRoster(number), asking)
	_, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	columns, _ := e.columnsByHeader(t, ref)
	_, _, err = e.review().DecideColumns(t.Context(), ref, "", []review.ColumnDecision{
		{ID: columns["Zork"].ID, TargetField: "MEMBERSHIP_TYPE_ID"}, {ID: columns["Quux"].ID, Ignore: true},
	})
	require.NoError(t, err)
	_, err = e.review().ConfirmColumns(t.Context(), ref, "")
	require.NoError(t, err)
	_, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	cells := e.cells(t, ref)
	e.decideValues(t, ref, review.CellDecision{ID: cells["MEMBERSHIP_TYPE_ID old hand"].ID, TargetValue: membershipType}, review.CellDecision{ID: cells["GENDER zeg ik niet"].ID, Empty: true})
	require.NoError(t, e.split.Run(t.Context(), ref))
	e.drain(t, false)
	require.NoError(t, e.complete.Run(t.Context(), ref))
	require.Equal(t, []string{"2 CREATED"}, e.results(t, ref))
	return ref
}

// suggestions returns what a waiting import suggests for the headers and for the old hand.
func (e *engine) suggestions(t *testing.T, number int) (columns map[string]*pastanswer.Entry, value review.CellSuggestions) {
	t.Helper()
	ref := e.create(t, "MEMBERSHIP", "odd.csv", oddRoster(number), asking)
	next, err := e.analyze.Run(t.Context(), ref)
	require.NoError(t, err)
	require.Equal(t, "COLUMN_MAPPING", next.Next)
	all, past := e.columnsByHeader(t, ref)
	require.Equal(t, job.Unresolved, all["Zork"].Status, "a suggestion is never preselected")
	_, _, err = e.review().DecideColumns(t.Context(), ref, "", []review.ColumnDecision{{ID: all["Zork"].ID, TargetField: "MEMBERSHIP_TYPE_ID"}})
	require.NoError(t, err)
	_, err = e.review().ConfirmColumns(t.Context(), ref, "")
	require.NoError(t, err)
	_, err = e.resolve.Run(t.Context(), ref)
	require.NoError(t, err)
	open := e.cells(t, ref)["MEMBERSHIP_TYPE_ID old hand"]
	require.Equal(t, job.Unresolved, open.Status, "a suggestion is never preselected")
	found, err := e.review().SuggestCandidates(t.Context(), ref, []job.MappedCell{open})
	require.NoError(t, err)
	return past, found[open.ID]
}

// The same answer in three imports is suggested, until it differs or one of the imports is undone.
func TestThreeEqualAnswersAreSuggested(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	first, second := e.answerOddRoster(t, 1, "Junior"), e.answerOddRoster(t, 2, "Junior")
	past, value := e.suggestions(t, 100)
	require.Empty(t, past, "two imports are too few")
	require.Nil(t, value.Past)
	third := e.answerOddRoster(t, 3, "Junior")

	past, value = e.suggestions(t, 101)
	require.Len(t, past, 2)
	require.Equal(t, pastanswer.Answer{TargetField: "MEMBERSHIP_TYPE_ID"}, past["Zork"].Answers[0].Answer)
	require.Equal(t, pastanswer.Answer{Ignore: true}, past["Quux"].Answers[0].Answer)
	imports := []job.ID{third.JobID, second.JobID, first.JobID}
	require.Equal(t, imports, past["Zork"].Imports())
	require.Equal(t, imports, value.Past.Imports())
	require.Equal(t, "Junior", value.Candidates[0].Name)
	require.Empty(t, postgrestest.Query[[]string](t, e.Database, `SELECT coalesce(array_agg(text), '{}') FROM past_answers WHERE field = 'GENDER'`), "values of personal fields are not learned")

	// Where nobody is asked, what was learned changes nothing.
	unasked := e.create(t, "MEMBERSHIP", "odd.csv", oddRoster(102), member)
	_, err := e.analyze.Run(t.Context(), unasked)
	require.ErrorContains(t, err, "REQUIRED_COLUMN_MISSING")

	e.undo(t, second, rules.Safe)
	past, value = e.suggestions(t, 103)
	require.Empty(t, past, "answers of an import that was undone do not count")
	require.Nil(t, value.Past)
	e.answerOddRoster(t, 4, "Senior")
	past, value = e.suggestions(t, 104)
	require.Len(t, past, 2)
	require.Nil(t, value.Past, "the answers differ")
}
