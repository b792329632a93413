package rows

import (
	"testing"

	"github.com/google/uuid"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/user"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/sheet"
)

// TestOnlyChangedValuesKeepOriginal: most rows need no record of their original values.
func TestOnlyChangedValuesKeepOriginal(t *testing.T) {
	t.Parallel()
	const id = "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	for _, c := range []struct{ id, email, idSaid, emailSaid string }{
		{id, "ada@x.org", "", ""},
		{" " + id + " ", " ada@x.org ", "", ""},
		{"01A1F9E7-1bde-7bf8-ac8c-500f93581dd4", "Ada@x.org", "01A1F9E7-1bde-7bf8-ac8c-500f93581dd4", "Ada@x.org"},
		{"{" + id + "}", "ÄDA@x.org", "{" + id + "}", "ÄDA@x.org"},
		{"01a1f9e71bde7bf8ac8c500f93581dd4", "ada@X.ORG", "01a1f9e71bde7bf8ac8c500f93581dd4", "ada@X.ORG"},
	} {
		d := user.New().Declaration()
		plan, err := NewPlan(d, []job.MappedColumn{
			{ColumnIndex: 0, TargetField: "ID"}, {ColumnIndex: 1, TargetField: "EMAIL"}, {ColumnIndex: 2, TargetField: "NAME"},
		})
		require.NoError(t, err)
		decoder := NewDecoder(plan, &job.Job{}, &sheet.Dialect{Format: sheet.CSV}, 1)
		row := &sheet.Row{Number: 2, Cells: []sheet.Cell{
			{Kind: sheet.Text, Bytes: []byte(c.id)}, {Kind: sheet.Text, Bytes: []byte(c.email)}, {Kind: sheet.Text, Bytes: []byte("Ada")},
		}}
		require.Empty(t, decoder.Add(row))
		want := map[cellPlace]string{}
		if c.idSaid != "" {
			want = map[cellPlace]string{{2, "ID"}: c.idSaid, {2, "EMAIL"}: c.emailSaid}
		}
		require.Equal(t, len(want), len(decoder.Errors.originals))
		for at, text := range want {
			require.Equal(t, text, decoder.Errors.originals[at])
			require.Equal(t, text, decoder.Errors.Format(2, rowwrite.Error{Field: at.field, Value: "as stored"}).Value)
		}
		if len(want) == 0 {
			require.Equal(t, "as stored", decoder.Errors.Format(2, rowwrite.Error{Field: "ID", Value: "as stored"}).Value)
		}
	}
}

func TestAppendUUIDMatchesPostgres(t *testing.T) {
	t.Parallel()
	for _, id := range []uuid.UUID{uuid.Nil, uuid.Max, uuid.MustParse("01a1f9e7-1bde-7bf8-ac8c-500f93581dd4")} {
		require.Equal(t, "x"+id.String(), string(appendUUID([]byte("x"), id[:])))
	}
}
