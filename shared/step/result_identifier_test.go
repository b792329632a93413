package step_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/step/analyze"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// setupNumbers adds an event in which the entry id, the registration number and the person id of
// each participant are valid for another one too.
func setupNumbers(t *testing.T) *engine {
	t.Helper()
	e := setup(t, 100)
	e.Exec(t, `INSERT INTO events (id, organisation_id, name) VALUES (1, 1, 'Hill Climb')`)
	e.Exec(t, `INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES (1, 1, 1, 'Open')`)
	e.Exec(t, `INSERT INTO persons (id, organisation_id, identity_key, first_name, last_name) OVERRIDING SYSTEM VALUE
		SELECT n, 1, 'id:' || n, 'First', 'Last' FROM generate_series(1, 9) AS n`)
	e.Exec(t, `INSERT INTO event_participants (id, organisation_id, event_id, person_id, category_id, registration_number)
		SELECT n, 1, 1, n % 9 + 1, 1, (n + 3) % 9 + 1 FROM generate_series(1, 9) AS n`)
	return e
}

// TestParticipantHeaderNamesItsContent: a header such as REGID, in any language, determines how
// participants are identified.
func TestParticipantHeaderNamesItsContent(t *testing.T) {
	t.Parallel()
	const entry, registration, person = 5, 1, 4 // participants that 5 identifies: the entry, n with (n+3)%9+1 = 5, and n with n%9+1 = 5
	for header, want := range map[string]int64{
		"Participant id": entry, "EPID": entry, "Entry id": entry, "REGID": registration, "Reg-ID": registration, "Registration number": registration,
		"Anmeldenummer": registration, "Numéro d'inscription": registration, "Nr zgłoszenia": registration, "PID": person, "Personen-ID": person, "Id persona": person,
	} {
		t.Run(header, func(t *testing.T) {
			t.Parallel()
			e := setupNumbers(t)
			ref := e.createInEvent(t, "RESULT", "Category,Seq,"+header+",Time\nOpen,1,5,1:01:00\n", `{}`)
			e.runWhole(t, ref, 100)
			require.Equal(t, []string{"2 CREATED"}, e.results(t, ref))
			require.Equal(t, want, postgrestest.Query[int64](t, e.Database, `SELECT participant_id FROM results`))
		})
	}
}

// TestSeveralParticipantColumns: the requested one is used. Otherwise a façade refuses the file,
// and an import with questions asks.
func TestSeveralParticipantColumns(t *testing.T) {
	t.Parallel()
	const several, entries = "Category,Seq,EPID,REGID,Time\nOpen,1,5,7,1:01:00\n", "Category,Seq,EPID,Time\nOpen,1,5,1:01:00\n"
	for options, want := range map[string]int64{`{"participantIdMode": "regid"}`: 3, `{"participantIdMode": "epid"}`: 5} {
		e := setupNumbers(t)
		e.runWhole(t, e.createInEvent(t, "RESULT", several, options), 100)
		require.Equal(t, want, postgrestest.Query[int64](t, e.Database, `SELECT participant_id FROM results`))
	}
	e := setupNumbers(t)
	for file, options := range map[string]string{several: `{}`, entries: `{"participantIdMode": "regid"}`} {
		refused := e.create(t, "RESULT", "file.csv", file, func(j *job.Job) {
			j.WholeFile, j.SkipMapping, j.ContextID, j.Mode, j.Review, j.Options = true, true, new(int64(1)), rowwrite.Upsert, job.ReviewNever, json.RawMessage(options)
		})
		_, err := e.analyze.Run(t.Context(), refused)
		require.Equal(t, problem.OptionInvalid, problem.CodeOf(err), "%v", err)
		require.Contains(t, problem.From(err).Message, "participantIdMode")

		asked := e.createReviewedInEvent(t, "RESULT", file, options)
		next, err := e.analyze.Run(t.Context(), asked)
		require.NoError(t, err)
		require.Equal(t, analyze.NextColumns, next.Next)
		require.True(t, strings.HasPrefix(e.job(t, asked).WarningCodes[0], string(problem.IdentifierUnclear)), "%v", e.job(t, asked).WarningCodes)
	}
}
