package step_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/planapply"
)

// If a part of a plan read all entities of its organisation, applying n changes would read n² of
// them. The test counts the rows that the statements read.
func TestPlanPartReadsOnlyItsEntities(t *testing.T) {
	t.Parallel()
	withManyUsers(t, func(t *testing.T, e *engine, tx pgx.Tx, ids []string) {
		var updates, creations []changeset.Change
		for i, id := range ids {
			row := int64(i + 1)
			updates = append(updates, changeset.Change{Row: row, Table: "users", ID: id, Op: changeset.Updated, Columns: []string{"name"}, Before: []*string{new("U")}, After: []*string{new("V")}})
			creations = append(creations, changeset.Change{
				Row: row, Table: "users", ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", i), Op: changeset.Created,
				Columns: []string{"email", "name"}, After: []*string{new(fmt.Sprint(i+1, "@x.org")), new("taken")},
			})
		}
		target := planapply.Target{Organisation: 1, Job: 1, FirstOfGroup: func(row int64) int64 { return row }}
		stale, err := planapply.Write(t.Context(), tx, e.DB, target, []changeset.Part{{Changes: updates}})
		require.NoError(t, err)
		require.Empty(t, stale)
		require.Less(t, usersRead(t, tx), 10*someUsers)
		before := usersRead(t, tx)
		stale, err = planapply.FindStale(t.Context(), tx, e.DB, target, []changeset.Part{{Changes: creations}})
		require.NoError(t, err)
		require.Len(t, stale, someUsers)
		require.Less(t, usersRead(t, tx)-before, 10*someUsers)
		require.Equal(t, someUsers, count(t, tx, `SELECT count(*) FROM users WHERE name = 'V'`))
	})
}
