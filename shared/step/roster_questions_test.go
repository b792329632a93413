package step_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/erasure"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/step/resolve"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const rosterHeader = "First name,Last name,Email,Date of birth,ID number,Category,Registration number\n"

// TestRosterAsksAboutUnclearRows imports rows that may be about a participant. The import asks, and a
// person chooses somebody, a new person, or nobody.
func TestRosterAsksAboutUnclearRows(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		first, second string
		text          string
		candidates    []string
		chosen, asNew []string // people afterwards
	}{
		"nickname": {
			"Bob,I,i@x.org,2000-02-03,,Junior,\n", "Robert,I,i@x.org,,,Junior,\n", "Robert I, i@x.org", []string{"Bob I, 2000-02-03, i***@x.org"},
			[]string{"Robert I i@x.org 2000-02-03"}, []string{"Bob I i@x.org 2000-02-03", "Robert I i@x.org"},
		},
		"name alone": {
			"Ina,I,i@x.org,,,Junior,\n", "Ina,I,other@x.org,,,Junior,\n", "Ina I, other@x.org", []string{"Ina I, i***@x.org"},
			[]string{"Ina I other@x.org"}, []string{"Ina I i@x.org", "Ina I other@x.org"},
		},
		"other identity number": {
			"Ina,I,i@x.org,,777001,Junior,\n", "Ina,I,i@x.org,,777010,Junior,\n", "Ina I, i@x.org, ID 777010", []string{"Ina I, i***@x.org"},
			[]string{"Ina I i@x.org 777010"}, []string{"Ina I i@x.org 777001", "Ina I i@x.org 777010"},
		},
		"half a name and the birth date": {
			"Ina,Old,i@x.org,2000-02-03,,Junior,\n", "Ina,New,,2000-02-03,,Junior,\n", "Ina New, 2000-02-03", []string{"Ina Old, 2000-02-03, i***@x.org"},
			[]string{"Ina New i@x.org 2000-02-03"}, []string{"Ina New 2000-02-03", "Ina Old i@x.org 2000-02-03"},
		},
		"two candidates": {
			"Ina,I,i@x.org,2000-02-03,,Junior,\nIna,I,i@x.org,1970-02-03,,Junior,\n", "Ina,I,i@x.org,,,Junior,R5\n", "Ina I, i@x.org",
			[]string{"Ina I, 1970-02-03, i***@x.org", "Ina I, 2000-02-03, i***@x.org"},
			[]string{"Ina I i@x.org 1970-02-03", "Ina I i@x.org 2000-02-03"}, []string{"Ina I i@x.org", "Ina I i@x.org 1970-02-03", "Ina I i@x.org 2000-02-03"},
		},
	} {
		for answer, decision := range map[string]func(cell int64, candidate int64) review.CellDecision{
			"chosen": func(cell, candidate int64) review.CellDecision {
				return review.CellDecision{ID: cell, TargetEntityID: &candidate}
			},
			"new":     func(cell, _ int64) review.CellDecision { return review.CellDecision{ID: cell, Create: true} },
			"skipped": func(cell, _ int64) review.CellDecision { return review.CellDecision{ID: cell, Ignore: true} },
		} {
			t.Run(name+", "+answer, func(t *testing.T) {
				t.Parallel()
				e := setupEvent(t)
				e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", rosterHeader+c.first+"Uta,U,u@x.org,,,Junior,\n", `{}`), 100)
				before := e.rosterPeople(t)
				ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", rosterHeader+"Uta,U,u@x.org,,,Junior,\n"+c.second+"Zoe,Z,z@x.org,,,Junior,\n", `{}`)
				open := e.runUntilValues(t, ref, resolve.NextWholeFileCells)
				cell, asked := open["PERSON "+c.text]
				require.True(t, asked, "%v", open)
				require.Equal(t, job.Unresolved, cell.Status)
				require.Equal(t, int64(3), cell.FirstRow)

				found, err := e.review().Candidates(t.Context(), ref, review.CandidateQuery{Field: job.PersonField, Value: c.text})
				require.NoError(t, err)
				var names []string
				for _, p := range found {
					names = append(names, p.Name)
					require.LessOrEqual(t, p.Score, 0.7, "nobody is accepted for the similarity alone")
				}
				slices.Sort(names)
				require.Equal(t, c.candidates, names)
				suggested, err := e.review().SuggestCandidates(t.Context(), ref, []job.MappedCell{cell})
				require.NoError(t, err)
				require.Len(t, suggested[cell.ID].Candidates, len(names))

				e.decideValues(t, ref, decision(cell.ID, found[0].ID))
				e.runWhole(t, ref, 1)
				want := map[string]string{"chosen": "3 UPDATED", "new": "3 CREATED", "skipped": "3 SKIPPED"}[answer]
				require.Contains(t, e.results(t, ref)[1], want)
				require.NotContains(t, e.results(t, ref)[1], "IDENTITY_AMBIGUOUS")
				people := map[string][]string{"chosen": c.chosen, "new": c.asNew, "skipped": before}[answer]
				after := e.rosterPeople(t)
				require.ElementsMatch(t, append(slices.DeleteFunc(slices.Clone(people), func(p string) bool { return p == "Uta U u@x.org" }), "Uta U u@x.org", "Zoe Z z@x.org"), after)

				document, err := e.review().Mapping(t.Context(), ref)
				require.NoError(t, err)
				for _, v := range document.Values {
					require.NotEqual(t, job.PersonField, v.Field, "no mapping contains people")
				}
				if answer == "skipped" {
					return
				}
				ref = e.createReviewedInEvent(t, "EVENT_PARTICIPANT", rosterHeader+c.second, `{}`)
				if answer == "chosen" && name == "two candidates" {
					return // the row says no more than before
				}
				require.NotContains(t, e.runUntilValues(t, ref, resolve.NextWholeFile), "PERSON "+c.text, "the same row is clear now")
			})
		}
	}
}

// rosterPeople returns the participants of the event with their values.
func (e *engine) rosterPeople(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws(' ', p.first_name, p.last_name, p.email, p.birth_date, p.identity_number))
		FROM event_participants AS e JOIN persons AS p ON p.organisation_id = e.organisation_id AND p.id = e.person_id`)
}

// TestRosterQuestionsAreLimited: clear rows are not asked about, nor are relatives with a row of their
// own; nobody else can be chosen; and an address that a person outside the event has is asked about.
func TestRosterQuestionsAreLimited(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	other := postgrestest.Query[int64](t, e.Database, `INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email) VALUES (1, 'email:o@x.org', 'Otto', 'O', 'o@x.org') RETURNING id`)
	e.Exec(t, `INSERT INTO organisations (id, name) VALUES (2, 'Other') ON CONFLICT DO NOTHING`)
	e.Exec(t, `INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email) VALUES (2, 'email:o@x.org', 'Foreign', 'O', 'o@x.org')`)
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", rosterHeader+"Max,M,m@x.org,,,Junior,\nBernd,I,i@x.org,,,Junior,\nTom,T,t@x.org,2000-01-01,,Junior,\n", `{}`), 100)
	ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", rosterHeader+
		"Maximilian,M,m@x.org,,,Junior,\nBernd,I,i@x.org,,,Junior,\nIna,I,i@x.org,,,Junior,\nOlga,O,o@x.org,,,Junior,\n"+
		"Timothy,T,t@x.org,,,Junior,\nTimon,T,t@x.org,,,Junior,\nbroken,T,t@,,,Junior,\n", `{}`)
	open := e.runUntilValues(t, ref, resolve.NextWholeFileCells)
	var asked []string
	for _, c := range open {
		if c.TargetField == job.PersonField {
			asked = append(asked, c.Value)
		}
	}
	require.ElementsMatch(t, []string{"Olga O, o@x.org", "Timothy T, t@x.org", "Timon T, t@x.org"}, asked)
	found, err := e.review().Candidates(t.Context(), ref, review.CandidateQuery{Field: job.PersonField, Value: "Olga O, o@x.org"})
	require.NoError(t, err)
	require.Len(t, found, 1)
	require.Equal(t, other, found[0].ID)
	found, err = e.review().Candidates(t.Context(), ref, review.CandidateQuery{Field: job.PersonField})
	require.NoError(t, err)
	require.Len(t, found, 2, "Otto and Tom")
	found, err = e.review().Candidates(t.Context(), ref, review.CandidateQuery{Field: job.PersonField, Value: "Max M, m@x.org"})
	require.NoError(t, err)
	require.Empty(t, found, "the import does not ask this")

	olga, timothy, timon := open["PERSON Olga O, o@x.org"].ID, open["PERSON Timothy T, t@x.org"].ID, open["PERSON Timon T, t@x.org"].ID
	for _, wrong := range []review.CellDecision{{ID: timothy, TargetEntityID: &other}, {ID: olga, Empty: true}, {ID: olga, TargetValue: "Otto"}, {ID: olga, Confirm: true}} {
		require.Equal(t, problem.MappingInvalid, problem.CodeOf(e.review().DecideCells(t.Context(), ref, "", []review.CellDecision{wrong})))
	}
	tom := postgrestest.Query[int64](t, e.Database, `SELECT id FROM persons WHERE first_name = 'Tom'`)
	e.decideValues(t, ref, review.CellDecision{ID: olga, TargetEntityID: &other}, review.CellDecision{ID: timothy, TargetEntityID: &tom}, review.CellDecision{ID: timon, TargetEntityID: &tom})
	e.runWhole(t, ref, 2)
	require.Equal(t, []string{
		"2 UPDATED EMAIL IDENTITY_AMBIGUOUS", "3 UNCHANGED", "4 CREATED", "5 CREATED", "6 UPDATED", "7 ERROR  ROW_DUPLICATE", "8 ERROR EMAIL CELL_EMAIL",
	}, e.results(t, ref))
	require.ElementsMatch(t, []string{"Maximilian M m@x.org", "Bernd I i@x.org", "Ina I i@x.org", "Olga O o@x.org", "Timothy T t@x.org 2000-01-01"}, e.rosterPeople(t))
}

// TestRosterAnswersSurvive: answers are kept when the file is read again, and an import that goes on
// without one rejects the row.
func TestRosterAnswersSurvive(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", rosterHeader+"Bob,I,i@x.org,,,Junior,\nAnn,A,a@x.org,,,Junior,\n", `{}`), 100)
	ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", rosterHeader+"Robert,I,i@x.org,,,Junior,\nEva,A,a@x.org,,,Junior,\n", `{}`)
	open := e.runUntilValues(t, ref, resolve.NextWholeFileCells)
	err := e.review().DecideCells(t.Context(), ref, "", []review.CellDecision{{ID: open["PERSON Robert I, i@x.org"].ID, Create: true}})
	require.Equal(t, problem.MappingIncomplete, problem.CodeOf(err))
	e.Exec(t, `UPDATE import_jobs SET status = 'UPLOADED' WHERE uuid = $1`, ref.JobID)
	e.Exec(t, `DELETE FROM import_cell_mappings WHERE NOT decided`)
	e.Exec(t, `DELETE FROM import_column_mappings WHERE job_id = (SELECT id FROM import_jobs WHERE uuid = $1)`, ref.JobID)
	open = e.runUntilValues(t, ref, resolve.NextWholeFileCells)
	require.True(t, open["PERSON Robert I, i@x.org"].Create)
	require.Equal(t, job.Unresolved, open["PERSON Eva A, a@x.org"].Status)
	_, err = e.review().StartProcessing(t.Context(), ref, "")
	require.NoError(t, err)
	e.runWhole(t, ref, 100)
	require.Equal(t, []string{"2 CREATED", "3 ERROR EMAIL CELL_UNRESOLVED"}, e.results(t, ref))
}

// TestErasureReachesRosterQuestions erases a person whose values are too short to be searched within
// other texts.
func TestErasureReachesRosterQuestions(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", rosterHeader+"Ina,Old,,2000-02-03,,Junior,\n", `{}`), 100)
	ref := e.createReviewedInEvent(t, "EVENT_PARTICIPANT", rosterHeader+"Ina,New,,2000-02-03,,Junior,\n", `{}`)
	open := e.runUntilValues(t, ref, resolve.NextWholeFileCells)
	e.decideValues(t, ref, review.CellDecision{ID: open["PERSON Ina New, 2000-02-03"].ID, Create: true})
	e.runWhole(t, ref, 100)
	service, err := erasure.New(e.DB, catalog.New().Types(), slog.New(slog.DiscardHandler))
	require.NoError(t, err)
	person := postgrestest.Query[string](t, e.Database, `SELECT id::text FROM persons WHERE last_name = 'New'`)
	_, err = service.ErasePerson(t.Context(), "op", 1, person, time.Hour)
	require.NoError(t, err)
	require.Zero(t, postgrestest.Query[int](t, e.Database, `SELECT count(*)::int FROM import_cell_mappings WHERE target_field = 'PERSON'`))
}
