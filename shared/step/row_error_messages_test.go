package step_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgres"
)

// rowErrors are all row errors of a job.
func (e *engine) rowErrors(t *testing.T, ref job.Ref) (found []job.RowError) {
	t.Helper()
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		results, err := e.DB.Results(t.Context(), tx, e.job(t, ref).Key, postgres.ResultFilter{Limit: 100})
		for _, r := range results {
			found = append(found, r.Errors...)
		}
		return err
	}))
	return found
}

// TestRowErrorNamesField, says what it takes and stands for itself: nine faults of
// a row are nine fields by name.
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
		"Client id: This is not a number. Write it with digits only, and a point before decimals: 1234.5.",
		"Sender name: A value is required. It takes a text of up to 200 characters.",
		"Sender address: A value is required. It takes a text of up to 1000 characters.",
		"Sender contact: A value is required. It takes a text of up to 100 characters.",
		"Receiver name: A value is required. It takes a text of up to 200 characters.",
		"Receiver address: A value is required. It takes a text of up to 1000 characters.",
		"Receiver city: A value is required. It takes a text of up to 200 characters.",
		"Receiver pincode: The text does not have the form that this column takes. It takes six digits, the first not zero: 110001.",
		"Item count: This is not a whole number, such as 12, or it has lost digits. Long numbers keep theirs in cells that are formatted as text.",
		"Total weight: This is not a number. Write it with digits only, and a point before decimals: 1234.5.",
		"Service type: This is not one of the values that this column takes. It takes one of EXPRESS, STANDARD, ECONOMY.",
		"Declared value: The number is larger than this column takes. The largest is 100000.",
		"COD amount: The number is smaller than this column takes. The smallest is 0.",
	}, messages)
}

// TestRowErrorShowsOriginalValue, also where it is kept in another case.
func TestRowErrorShowsOriginalValue(t *testing.T) {
	t.Parallel()
	const id, ada = "01A1F9E7-1BDE-7BF8-AC8C-500F93581DD4", "00000000-0000-4000-8000-000000000001"
	for name, c := range map[string]struct{ importType, file, value string }{
		"an address twice in a file":   {"USER", "Email,Name\nA1@X.org,Ann\nA1@X.ORG,Ben\n", "A1@X.ORG"},
		"an address of somebody known": {"USER", "Email,Name\nKnown@X.org,Ann\n", "Known@X.org"},
		"an id twice in a file":        {"ARTICLE", "Id,Slug,Title,Body,Author id\n" + id + ",a,A,b," + ada + "\n" + id + ",b,B,b," + ada + "\n", id},
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
	t.Run("in another part of the file", func(t *testing.T) {
		t.Parallel()
		e := setup(t, 1)
		ref := e.create(t, "USER", "users.csv", "Email,Name\nA1@X.org,Ann\nA1@X.ORG,Ben\n", nil)
		e.prepare(t, ref)
		e.drain(t, true) // the second row is written first, and then loses its entry to the first
		found := e.rowErrors(t, ref)
		require.Len(t, found, 1)
		require.Empty(t, found[0].Value, "what the other part has is not known here")
		require.Contains(t, found[0].Message, "Email: Row 2")
	})
	t.Run("a whole file", func(t *testing.T) {
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
		require.Equal(t, "IDENTITY_AMBIGUOUS", found[0].Code)
		require.Equal(t, "ADA@x.org", found[0].Value)
	})
}
