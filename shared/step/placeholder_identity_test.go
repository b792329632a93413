package step_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

const identityHeader = "First name,Surname,ID number,Email,Membership type\n"

// roster imports a file of memberships in chunks of the engine's size, and returns its results.
func (e *engine) roster(t *testing.T, file string, mode rowwrite.Mode, backwards bool) []string {
	t.Helper()
	ref := e.create(t, "MEMBERSHIP", "roster.csv", file, func(j *job.Job) { member(j); j.Mode = mode })
	e.prepare(t, ref)
	e.drain(t, backwards)
	return e.results(t, ref)
}

func (e *engine) persons(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, e.Database, `
		SELECT array_agg(concat_ws(' ', first_name, last_name, identity_key, phone) ORDER BY lower(first_name), last_name) FROM persons`)
}

// TestPlaceholderIsNotIdentity: placeholders for a missing identity number do not identify a
// person, and a later roster with one renames nobody.
func TestPlaceholderIsNotIdentity(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	require.Equal(t, []string{
		"2 CREATED", "3 CREATED", "4 ERROR EMAIL CELL_REQUIRED", "5 ERROR ID_NUMBER CELL_PRECISION", "6 ERROR ID_NUMBER CELL_PRECISION",
	}, e.roster(t, identityHeader+
		"Kim,Alpha,N/A,kim@x.org,Senior\n"+
		"Lou,Beta,-,lou@x.org,Senior\n"+
		"Moe,Gamma,none,n/a,Senior\n"+
		"Ned,Delta,8.50101E+12,ned@x.org,Senior\n"+
		"Ola,Epsilon,8.50101E+12,,Senior\n", rowwrite.Insert, false))
	require.Equal(t, []string{"2 CREATED"}, e.roster(t, identityHeader+"Zoe,Zeta,n/a,zoe@x.org,Senior\n", rowwrite.Upsert, false))
	require.Equal(t, []string{"Kim Alpha email:kim@x.org", "Lou Beta email:lou@x.org", "Zoe Zeta email:zoe@x.org"}, e.persons(t))
	require.Zero(t, postgrestest.Query[int64](t, e.Database, `SELECT count(identity_number) FROM persons`))
	require.Equal(t, "Identity number: The number has lost digits, as in scientific notation. Format the column as text and write the whole number.",
		postgrestest.Query[string](t, e.Database, `SELECT faults -> 0 ->> 'message' FROM import_row_results WHERE row_number = 5`))
}

// TestSharedEmailIsNotIdentity: for any chunk size and any order of the chunks.
func TestSharedEmailIsNotIdentity(t *testing.T) {
	t.Parallel()
	const file = identityHeader +
		"Kim,Alpha,,info@x.org,Senior\n" +
		"Lou,Beta,,info@x.org,Senior\n" +
		"KIM,alpha,,info@x.org,Junior\n" +
		"Moe,Gamma,7001,info@x.org,Senior\n"
	for _, mode := range []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert} {
		for _, chunkRows := range []int{1, 2, 100} {
			for _, backwards := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %d rows a chunk, backwards %v", mode, chunkRows, backwards), func(t *testing.T) {
					t.Parallel()
					e := setup(t, chunkRows)
					got := e.roster(t, file, mode, backwards)
					require.Equal(t, []string{"2 CREATED", "3 ERROR EMAIL IDENTITY_AMBIGUOUS"}, got[:2])
					require.Contains(t, got[2], "4 ERROR") // the code depends on which of rows 2 and 3 came first
					require.Equal(t, "5 CREATED", got[3])
					require.Equal(t, []string{"Kim Alpha email:info@x.org", "Moe Gamma id:7001"}, e.persons(t))
				})
			}
		}
	}
}

// TestEmailAloneDoesNotRename: a row that identifies a person by the address alone but has
// another name reports the match and writes nothing. A row with an identity number may rename.
func TestEmailAloneDoesNotRename(t *testing.T) {
	t.Parallel()
	for _, mode := range []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert} {
		for _, chunkRows := range []int{1, 100} {
			t.Run(fmt.Sprintf("%s, %d rows a chunk", mode, chunkRows), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				e.Exec(t, `INSERT INTO persons (organisation_id, identity_key, first_name, last_name) VALUES
					(1, 'email:kim@x.org', 'Kim', 'Alpha'), (1, 'id:7001', 'Moe', 'Gamma')`)
				require.Equal(t, []string{"2 ERROR EMAIL IDENTITY_AMBIGUOUS", "3 CREATED", "4 CREATED"}, e.roster(t, identityHeader+
					"Lou,Beta,,kim@x.org,Senior\n"+
					"kim , ALPHA,,kim@x.org,Senior\n"+
					"Moe,Delta,7001,,Senior\n", mode, false))
				require.Equal(t, int64(2), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM persons`))
				if mode == rowwrite.Upsert {
					require.Equal(t, []string{"kim ALPHA email:kim@x.org", "Moe Delta id:7001"}, e.persons(t))
				}
				require.Contains(t, postgrestest.Query[string](t, e.Database, `SELECT faults -> 0 ->> 'message' FROM import_row_results WHERE row_number = 2`),
					"This e-mail address belongs to Kim Alpha.")
				require.NotContains(t, e.log.String(), "Alpha", "logs contain no names")
			})
		}
	}
}

// TestEmailAloneDoesNotEnterOtherPerson: a row of a roster with an address of another person enters
// a new person, for any part size.
func TestEmailAloneDoesNotEnterOtherPerson(t *testing.T) {
	t.Parallel()
	for _, partRows := range []int{1, 2, 100} {
		t.Run(fmt.Sprintf("%d rows a part", partRows), func(t *testing.T) {
			t.Parallel()
			e := setupEvent(t)
			e.Exec(t, `INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email) VALUES (1, 'email:kim@x.org', 'Kim', 'Alpha', 'kim@x.org')`)
			ref := e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Surname,ID number,Email,Category,Registration number\n"+
				"Lou,Beta,n/a,kim@x.org,Junior,-\n"+
				"KIM,Alpha,n/a,kim@x.org,Junior,-\n"+
				"Moe,Gamma,,info@x.org,Junior,-\n"+
				"Ned,Delta,,info@x.org,Junior,none\n"+
				"moe,gamma,,info@x.org,Junior,none\n", `{}`)
			e.runWhole(t, ref, partRows)
			require.Equal(t, []string{
				"2 CREATED EMAIL IDENTITY_AMBIGUOUS", "3 CREATED", "4 CREATED", "5 CREATED", "6 ERROR  ROW_DUPLICATE",
			}, e.results(t, ref))
			require.Equal(t, []string{
				"Kim Alpha email:kim@x.org", "Lou Beta email:kim@x.org|lou|beta|", "Moe Gamma email:info@x.org", "Ned Delta email:info@x.org|ned|delta|",
			}, e.persons(t))
			require.Equal(t, int64(4), postgrestest.Query[int64](t, e.Database, `SELECT count(*) FROM event_participants WHERE registration_number IS NULL`))
		})
	}
}
