package step_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// entities holds the rows of all tables by table and id. Each row maps columns to their JSON
// values, without the columns that record who wrote them.
type entities map[string]map[string]any

// allTables are the tables that the imports of these tests write.
var allTables = []string{"users", "persons", "memberships", "membership_types", "event_participants", "custom_lists", "custom_list_values", "results", "orders"}

func (e *engine) entities(t *testing.T) entities {
	t.Helper()
	all := make(entities)
	for _, table := range allTables {
		list := postgrestest.Query[string](t, e.Database, `SELECT coalesce(jsonb_object_agg(id, to_jsonb(e) - '{organisation_id,source_job,source_row,source_cells,source_before}'::text[]), '{}')::text FROM `+table+` AS e`)
		var found map[string]map[string]any
		decoder := json.NewDecoder(strings.NewReader(list))
		decoder.UseNumber()
		require.NoError(t, decoder.Decode(&found))
		for id, columns := range found {
			all[table+" "+id] = columns
		}
	}
	return all
}

// changeSet returns the change set of a job by chunk. With backwards, the last chunk comes
// first, as in an import that wrote its chunks in that order.
func (e *engine) changeSet(t *testing.T, ref job.Ref, backwards bool) []changeset.Change {
	t.Helper()
	var all []changeset.Change
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) error {
		for at := (changeset.Position{Chunk: -1}); ; {
			next, part, ok, err := e.DB.NextChanges(t.Context(), tx, changeset.Ref{Key: e.job(t, ref).Key}, at)
			if err != nil || !ok {
				return err
			}
			if at = next; backwards {
				all = append(part, all...)
				continue
			}
			all = append(all, part...)
		}
	}))
	return all
}

// explains checks that the changes are exactly the difference between before and after, and
// that each change starts from the values that the previous one left.
func (before entities) explains(t *testing.T, changes []changeset.Change, after entities) {
	t.Helper()
	left, made := maps.Clone(before), make(map[string]bool) // for created entities only a hash is stored
	given := make(map[string]map[string]*string)
	for _, c := range changes {
		key := c.Table + " " + c.ID
		if c.Op == changeset.Created {
			require.NotContains(t, left, key)
			left[key], made[key] = nil, true
			continue
		}
		require.Contains(t, left, key)
		if c.Op == changeset.Deleted {
			delete(left, key)
			continue
		}
		if given[key] == nil {
			given[key] = make(map[string]*string)
		}
		for i, name := range c.Columns {
			if earlier, ok := given[key][name]; ok {
				require.Equal(t, earlier, c.Before[i], key+" "+name)
			} else if !made[key] {
				requireValue(t, before[key][name], c.Before[i], key+" "+name)
			}
			given[key][name] = c.After[i]
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(after)), slices.Collect(maps.Keys(left)))
	for key, columns := range after {
		for name, value := range columns {
			if v, ok := given[key][name]; ok {
				requireValue(t, value, v, key+" "+name)
			} else if !made[key] {
				require.Equal(t, before[key][name], value, key+" "+name)
			}
		}
	}
}

// requireValue compares a JSON value with the text that Postgres writes. For times and booleans
// it checks only whether there is a value.
func requireValue(t *testing.T, want any, got *string, what string) {
	t.Helper()
	require.Equal(t, want == nil, got == nil, what)
	if _, truth := want.(bool); want != nil && !truth && !strings.HasSuffix(what, "_at") {
		require.Equal(t, fmt.Sprint(want), *got, what)
	}
}

func TestChangeSetExplainsDatabaseState(t *testing.T) {
	t.Parallel()
	again := strings.NewReplacer("ada@x.org,élite,R1,1,Small,Blue", "ada@x.org,Junior,R1,9,Huge,", "Fay,Field", "Fay,Fields").Replace(entries)
	for _, partRows := range []int{1, 3, 100} {
		t.Run(fmt.Sprintf("participants, %d rows a part", partRows), func(t *testing.T) {
			t.Parallel()
			e := setupEvent(t)
			for _, file := range []string{entries, again} {
				before := e.entities(t)
				ref := e.createInEvent(t, "EVENT_PARTICIPANT", file, `{}`)
				e.runWhole(t, ref, partRows)
				before.explains(t, e.changeSet(t, ref, false), e.entities(t))
			}
		})
	}
	for _, chunkRows := range []int{1, 2, 100} {
		for _, backwards := range []bool{false, true} {
			t.Run(fmt.Sprintf("a roster, %d rows a chunk, backwards %t", chunkRows, backwards), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				for _, file := range []string{
					"First name,Last name,Email,Membership type,Membership number\nAda,Lovelace,ada@x.org,Senior,1\nBen,Bolt,ben@x.org,Junior,2\nAda,Lovelace,ada@x.org,Junior,3\nCid,Cole,cid@x.org,Junior,\n",
					"First name,Last name,Email,Membership type,Membership number,Phone\nAda,Lovelace,ada@x.org,Junior,1,\"(1) \"\"2\"\"\"\nBen,Bolt,ben@x.org,Junior,4,\nDan,Dale,dan@x.org,Senior,5,\nBen,Bolt,ben@x.org,Senior,6,77\n",
				} {
					before := e.entities(t)
					ref := e.create(t, "MEMBERSHIP", "roster.csv", file, func(j *job.Job) {
						member(j)
						j.Mode = rowwrite.Upsert
					})
					e.prepare(t, ref)
					e.drain(t, backwards)
					changes := e.changeSet(t, ref, backwards)
					require.NotEmpty(t, changes)
					before.explains(t, changes, e.entities(t))
				}
			})
		}
	}
}

// A job without undo stores no change set. The entities that were created earlier keep theirs.
func TestNoChangeSetWithoutUndo(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	const file = "Email,Name\nada@x.org,Ada\nben@x.org,Ben\ncid@x.org,Cid\n"
	before := e.create(t, "USER", "u.csv", file, func(j *job.Job) { j.AutoStart = true })
	e.Exec(t, `INSERT INTO organisation_settings (organisation_id, undo_days) VALUES (1, 0)`)
	after := e.create(t, "USER", "u.csv", strings.ReplaceAll(file, "@x.org", "@y.org"), func(j *job.Job) { j.AutoStart = true })
	for _, ref := range []job.Ref{before, after} {
		e.prepare(t, ref)
		e.drain(t, false)
		require.NoError(t, e.complete.Run(t.Context(), ref))
		require.EqualValues(t, 3, e.job(t, ref).Progress.Counts.Created)
	}
	require.Len(t, e.changeSet(t, before, false), 3)
	require.Empty(t, e.job(t, before).WhyNotUndoable())
	require.Empty(t, e.changeSet(t, after, false))
	require.Equal(t, job.UndoNotKept, e.job(t, after).WhyNotUndoable())
}
