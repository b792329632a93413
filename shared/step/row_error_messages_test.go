package step_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
)

// rowErrors returns all row errors of a job.
func (e *engine) rowErrors(t *testing.T, ref job.Ref) (found []rowwrite.Error) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		results, err := e.DB.Results(t.Context(), tx, e.job(t, ref).Key, postgres.ResultFilter{Page: job.Page{Limit: 100}})
		for _, r := range results {
			found = append(found, r.Errors...)
		}
		return err
	}))
	return found
}

// TestRowErrorNamesField: each message states the accepted values and is self-contained. Nine
// errors of a row name nine fields.
func TestRowErrorNamesField(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	ref := e.runRows(t, "ORDER", orderHeader+"x,,,,,,,,0,1.5,heavy,overnight,150000,-5,\n", nil)
	found := e.rowErrors(t, ref)
	messages := make([]string, len(found))
	for i, f := range found {
		messages[i] = f.Message
	}
	require.Equal(t, []string{
		"Client id: This is not a number. Use digits and a decimal point only: 1234.5.",
		"Sender name: A value is required. Enter a text of up to 200 characters.",
		"Sender address: A value is required. Enter a text of up to 1000 characters.",
		"Sender contact: A value is required. Enter a text of up to 100 characters.",
		"Receiver name: A value is required. Enter a text of up to 200 characters.",
		"Receiver address: A value is required. Enter a text of up to 1000 characters.",
		"Receiver city: A value is required. Enter a text of up to 200 characters.",
		"Receiver pincode: The text does not have the format of this column. Enter six digits without a leading zero: 110001.",
		"Item count: This is not a whole number, such as 12, or it has lost digits. Format cells with long numbers as text.",
		"Total weight: This is not a number. Use digits and a decimal point only: 1234.5.",
		"Service type: This value is not allowed in this column. Enter one of EXPRESS, STANDARD, ECONOMY.",
		"Declared value: The number is above the maximum of this column. The maximum is 100000.",
		"COD amount: The number is below the minimum of this column. The minimum is 0.",
	}, messages)
}

// TestRowErrorShowsOriginalValue: also for values that are stored in another case.
func TestRowErrorShowsOriginalValue(t *testing.T) {
	t.Parallel()
	const id, ada = "01A1F9E7-1BDE-7BF8-AC8C-500F93581DD4", "00000000-0000-4000-8000-000000000001"
	for name, c := range map[string]struct{ importType, file, value string }{
		"duplicate e-mail address in a file": {"USER", "Email,Name\nA1@X.org,Ann\nA1@X.ORG,Ben\n", "A1@X.ORG"},
		"e-mail address of an existing user": {"USER", "Email,Name\nKnown@X.org,Ann\n", "Known@X.org"},
		"duplicate id in a file":             {"ARTICLE", "Id,Slug,Title,Body,Author id\n" + id + ",a,A,b," + ada + "\n" + id + ",b,B,b," + ada + "\n", id},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setup(t, 100)
			e.Exec(t, `INSERT INTO users (organisation_id, id, email, name) VALUES (1, $1, 'known@x.org', 'Kim')`, ada)
			found := e.rowErrors(t, e.runRows(t, c.importType, c.file, nil))
			require.Len(t, found, 1)
			require.Equal(t, c.value, found[0].Value)
			require.NotContains(t, found[0].Message, strings.ToLower(c.value))
		})
	}
	t.Run("duplicate in another chunk", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 1)
		ref := e.create(t, "USER", "users.csv", "Email,Name\nA1@X.org,Ann\nA1@X.ORG,Ben\n", nil)
		e.prepare(t, ref)
		e.drain(t, true) // the second row is written first, and then loses its entry to the first
		found := e.rowErrors(t, ref)
		require.Len(t, found, 1)
		require.Empty(t, found[0].Value, "the other chunk's values are not available")
		require.Contains(t, found[0].Message, "Email: Row 2")
	})
	t.Run("whole file", func(t *testing.T) {
		t.Parallel()
		e := setupEvent(t)
		ref := e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category,Registration number\n"+
			"Ada,Lovelace,ADA@X.org,Junior,R1\n", `{}`)
		e.runWhole(t, ref, 100)
		ref = e.createInEvent(t, "EVENT_PARTICIPANT", "First name,Last name,Email,Category,Registration number\n"+
			"Zoe,Zeta,ADA@x.org,Junior,R2\n", `{}`)
		e.runWhole(t, ref, 100)
		found := e.rowErrors(t, ref)
		require.Len(t, found, 1)
		require.Equal(t, problem.IdentityAmbiguous, found[0].Code)
		require.Equal(t, "ADA@x.org", found[0].Value)
		require.Contains(t, found[0].Message, "Ada Lovelace")
	})
}
