package changeset_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
)

func TestStatementsMergeIntoOneChange(t *testing.T) {
	t.Parallel()
	columns, hashed := " users {id,name,role}\n", []string{"id", "name", "role"}
	inserted := "INSERT" + columns + "3 1 -99\n"
	updated := "UPDATE" + columns + `4 1 0 3 9 (1,Ann,u) 7 9 (1,Ann,v)` + "\n" + `5 2 8 6 9 (2,"",""` + ") 1 18 " + `(2,"a ""b"", \\",)` + "\n"
	again := "UPDATE" + columns + "9 2 10 5 18 " + `(2,"a ""b"", \\",)` + " 5 8 (2,\"\",x)\n"
	deleted := "DELETE" + columns + "7 1 8 6 9 (1,Ann,u)\n"
	for name, c := range map[string]struct {
		text string
		want []changeset.Change
	}{
		"nothing": {"", []changeset.Change{}},
		"created, then updated": {inserted + updated, []changeset.Change{
			{Row: 4, Table: "users", ID: "1", Op: changeset.Created, Hash: 7, Hashed: hashed},
			{
				Row: 5, Table: "users", ID: "2", Op: changeset.Updated, Columns: []string{"name", "role"},
				Before: []*string{textPtr(""), textPtr("")}, After: []*string{textPtr(`a "b", \`), nil}, PrevJob: 8, PrevRow: 6,
			},
		}},
		"updated twice": {updated[:len("UPDATE"+columns)] + updated[len("UPDATE"+columns+"4 1 0 3 9 (1,Ann,u) 7 9 (1,Ann,v)\n"):] + again, []changeset.Change{{
			Row: 9, Table: "users", ID: "2", Op: changeset.Updated, Columns: []string{"role"},
			Before: []*string{textPtr("")}, After: []*string{textPtr("x")}, PrevJob: 8, PrevRow: 6,
		}}},
		"unchanged values are omitted": {"UPDATE" + columns + "4 1 8 6 7 (,Ann,) 0 7 (,Bob,)\n", []changeset.Change{{
			Row: 4, Table: "users", ID: "1", Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{textPtr("Ann")}, After: []*string{textPtr("Bob")}, PrevJob: 8, PrevRow: 6,
		}}},
		"first value updated, then another, then the first again": {
			"UPDATE" + columns + "4 1 8 6 7 (,Ann,) 0 7 (,Bob,)\n" + "UPDATE" + columns + "5 1 9 4 4 (,,) 3 5 (,,v)\n" + "UPDATE" + columns + "6 1 9 5 7 (,Bob,) 3 7 (,Cid,)\n",
			[]changeset.Change{{
				Row: 6, Table: "users", ID: "1", Op: changeset.Updated, Columns: []string{"name", "role"},
				Before: []*string{textPtr("Ann"), nil}, After: []*string{textPtr("Cid"), textPtr("v")}, PrevJob: 8, PrevRow: 6,
			}},
		},
		"updated, then deleted": {
			"UPDATE" + columns + "4 1 8 6 7 (,Ann,) 0 7 (,Bob,)\n" + "DELETE" + columns + "7 1 8 6 9 (1,Bob,u)\n",
			[]changeset.Change{{
				Row: 4, Table: "users", ID: "1", Op: changeset.Deleted, Columns: []string{"id", "name", "role"}, Before: []*string{textPtr("1"), textPtr("Ann"), textPtr("u")}, PrevJob: 8, PrevRow: 6,
			}},
		},
		"created with values, then updated": {
			"INSERT+" + columns + "2 1 5 9 (1,Ann,u)\n" + "UPDATE" + columns + "3 1 9 2 5 (,,u) 7 4 (,,)\n",
			[]changeset.Change{{
				Row: 3, Table: "users", ID: "1", Op: changeset.Created, Columns: []string{"id", "name", "role"}, After: []*string{textPtr("1"), textPtr("Ann"), nil}, Hash: 7, Hashed: hashed,
			}},
		},
		"created, then deleted": {inserted + deleted, []changeset.Change{}},
		"deleted, then recreated with the same id": {deleted + "INSERT" + columns + "2 1 6\n" + updated[:strings.Index(updated, "\n5 2")+1], []changeset.Change{
			{Row: 7, Table: "users", ID: "1", Op: changeset.Deleted, Columns: []string{"id", "name", "role"}, Before: []*string{textPtr("1"), textPtr("Ann"), textPtr("u")}, PrevJob: 8, PrevRow: 6},
			{Row: 4, Table: "users", ID: "1", Op: changeset.Created, Hash: 7, Hashed: hashed},
		}},
		"deleted, then restored": {deleted + "INSERT+" + columns + "2 1 5 9 (1,Bob,u)\n", []changeset.Change{{Row: 2, Table: "users", ID: "1", Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{textPtr("Ann")}, After: []*string{textPtr("Bob")}, PrevJob: 8, PrevRow: 6}}},
		"gone":                   {deleted, []changeset.Change{{Row: 7, Table: "users", ID: "1", Op: changeset.Deleted, Columns: []string{"id", "name", "role"}, Before: []*string{textPtr("1"), textPtr("Ann"), textPtr("u")}, PrevJob: 8, PrevRow: 6}}},
		"created with values":    {"INSERT+" + columns + "2 1 5 7 (1,\"\",)\n", []changeset.Change{{Row: 2, Table: "users", ID: "1", Op: changeset.Created, Columns: []string{"id", "name", "role"}, After: []*string{textPtr("1"), textPtr(""), nil}, Hash: 5, Hashed: hashed}}},
	} {
		got, err := changeset.ParseCaptured(c.text)
		require.NoError(t, err, name)
		require.Equal(t, c.want, got, name)
	}
	for _, wrong := range []string{
		"x", "MERGE" + columns + "1 1 1\n", "INSERT" + columns + "1 1", "DELETE" + columns + "1 1 1 1 99 (1)\n",
		"DELETE" + columns + "1 1 1 1 5 (1,2)\n", "DELETE" + columns + "1 1 1 1 9 (1,2,3,4)\n", "DELETE" + columns + "1 1 1 1 8 (1,2,\"3)\n", inserted + inserted,
		deleted + "INSERT+ users {id}\n2 1 5 3 (1)\n",
	} {
		_, err := changeset.ParseCaptured(wrong)
		require.Error(t, err, wrong)
		require.NotContains(t, err.Error(), "(1")
	}
}

func FuzzParseCaptured(f *testing.F) {
	f.Add("INSERT users {id}\n3 1 -99\nUPDATE users {id,name}\n5 2 8 6 6 (2,\"\") 1 5 (2,x)\n")
	f.Add("DELETE users {id,name}\n5 2 8 6 8 (2,\"\\\\\")\n")
	f.Fuzz(func(t *testing.T, captured string) {
		changes, err := changeset.ParseCaptured(captured)
		if err != nil {
			return
		}
		part, err := new(changeset.Encoder).Encode(changes)
		if err != nil {
			return // exceeds the limits of a table
		}
		got, err := changeset.Decode(part)
		require.NoError(t, err)
		require.Equal(t, changes, got)
	})
}

// The changes are returned in file order with their own values, even if the statement
// wrote the table in another order.
func TestCapturedChangesInFileOrder(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 200 {
		var text strings.Builder
		text.WriteString("INSERT users {id,name}\n")
		want := make([]int64, n)
		for i, place := range random.Perm(n) {
			want[i] = int64(i*3 + 2)
			fmt.Fprintf(&text, "%d e%d %d\n", place*3+2, place*3+2, place*3+2)
		}
		changes, err := changeset.ParseCaptured(text.String())
		require.NoError(t, err)
		got := make([]int64, len(changes))
		for i, c := range changes {
			got[i] = c.Row
			require.Equal(t, fmt.Sprintf("e%d", c.Row), c.ID)
			require.Equal(t, c.Row, c.Hash)
		}
		require.Equal(t, want, got)
	}
}
