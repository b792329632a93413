package step_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/changes/entitytable"
	"github.com/loadbay/loadbay/shared/changes/history"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// historyOf returns the history of an entity and the origin of its values by column.
func (e *engine) historyOf(t *testing.T, table, id string) (entity *entitytable.Entity, steps []history.Step, end history.EndReason, values map[string]history.Value) {
	t.Helper()
	values = make(map[string]history.Value)
	require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
		if entity, err = e.DB.Entity(t.Context(), tx, table, id); err != nil {
			return err
		}
		require.NotNil(t, entity)
		steps, end, err = history.Load(t.Context(), tx, e.DB, entity)
		return err
	}))
	for _, v := range history.OriginOfValues(entity, steps, end) {
		values[v.Column] = v
	}
	return entity, steps, end, values
}

// cellOrigin is the expected cell from which a value was imported.
type cellOrigin struct {
	job   job.Key
	row   int64
	value string
}

// Random imports write some values of some users, with their chunks in either order; others
// change nothing. Each value is traced to its cell, and each step to the values that it wrote.
func TestHistoryTracesValueToCell(t *testing.T) {
	t.Parallel()
	for _, chunkRows := range []int{1, 3, 100} {
		t.Run(fmt.Sprintf("%d rows a chunk", chunkRows), func(t *testing.T) {
			t.Parallel()
			e := setup(t, chunkRows)
			model := make(map[string]map[string]cellOrigin) // by email address and column
			for n := range 6 {
				var file strings.Builder
				file.WriteString("Email,Name,Role\n")
				type line struct{ email, name, role string }
				var lines []line
				for i := range 8 {
					if n > 0 && rand.IntN(2) == 0 {
						continue
					}
					one := line{fmt.Sprintf("u%d@x.org", i), fmt.Sprintf("Name %d", rand.IntN(3)), []string{"", "admin", "user"}[rand.IntN(3)]}
					lines = append(lines, one)
					fmt.Fprintf(&file, "%s,%s,%s\n", one.email, one.name, one.role)
				}
				if len(lines) == 0 {
					continue
				}
				ref := e.create(t, "USER", "u.csv", file.String(), func(j *job.Job) { j.AutoStart, j.Mode = true, rowwrite.Upsert })
				e.prepare(t, ref)
				e.drain(t, n%2 == 1)
				key := e.job(t, ref).Key
				for i, one := range lines {
					known := model[one.email]
					if known == nil {
						known = map[string]cellOrigin{"role": {key, int64(i + 2), "user"}}
						model[one.email] = known
					}
					for column, value := range map[string]string{"name": one.name, "role": one.role} {
						if value != "" && known[column].value != value {
							known[column] = cellOrigin{key, int64(i + 2), value}
						}
					}
				}
			}
			for email, columns := range model {
				id := postgrestest.Query[string](t, e.Database, `SELECT id::text FROM users WHERE email = $1`, email)
				entity, steps, end, values := e.historyOf(t, "users", id)
				require.Equal(t, history.EndCreated, end)
				for column, want := range columns {
					v := values[column]
					require.Equal(t, want, cellOrigin{steps[v.Step].Job, steps[v.Step].Row, *v.Text}, "%s of %s", column, email)
					require.False(t, v.Edited)
					require.Equal(t, want.value, *history.StepValues(entity, steps, v.Step)[column])
				}
				for i := 1; i < len(steps); i++ {
					require.Greater(t, steps[i-1].Job, steps[i].Job)
				}
			}
			require.Len(t, model, 8)
		})
	}
}

// A plan writes the previewed values: each is traced to the plan's row, even if rows of an
// earlier file had written the entity's values.
func TestPlannedValueOriginIsPlanRow(t *testing.T) {
	t.Parallel()
	e := setup(t, 100)
	e.upsertUsers(t, "Email,Name,Role\nb@x.org,Ben,user\na@x.org,Anna,user\na@x.org,,admin\nc@x.org,Cid,user\na@x.org,Anne,\n")
	ref := e.plan(t, "USER", "Email,Name,Role\na@x.org,Ada,editor\n", nil)
	e.drain(t, false)
	e.awaitApproval(t, ref)
	e.apply(t, ref, false)
	id := postgrestest.Query[string](t, e.Database, `SELECT id::text FROM users WHERE email = 'a@x.org'`)
	entity, steps, _, values := e.historyOf(t, "users", id)
	kind, _ := catalog.New().ByName("USER")
	for column, want := range map[string]string{"name": "Ada", "role": "editor"} {
		v := values[column]
		row := v.Row(entity, steps, kind.Declaration().FieldIndex(strings.ToUpper(column)))
		require.Equal(t, cellOrigin{e.job(t, ref).Key, 2, want}, cellOrigin{steps[v.Step].Job, row, *v.Text}, column)
	}
}

// The values with which an import created an entity are stored as a hash. The hash reveals a
// later edit, also after another import, and matches again after the edit is reverted.
func TestHistoryDetectsEditAfterCreate(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	run := func(file string) {
		ref := e.create(t, "USER", "u.csv", "Email,Name,Role\n"+file, func(j *job.Job) { j.AutoStart, j.Mode = true, rowwrite.Upsert })
		e.prepare(t, ref)
		e.drain(t, false)
	}
	run("ada@x.org,Ada,admin\n")
	id := postgrestest.Query[string](t, e.Database, `SELECT id::text FROM users`)
	edited := func() (is bool) {
		entity, steps, end, _ := e.historyOf(t, "users", id)
		require.NoError(t, e.DB.InOrganisation(t.Context(), 1, func(tx pgx.Tx) (err error) {
			is, err = history.EditedSinceCreation(t.Context(), tx, e.DB, entity, steps, end)
			return err
		}))
		return is
	}
	require.False(t, edited())
	run("ada@x.org,Ada L,\n")
	require.False(t, edited(), "an import does not count as an edit")
	e.Exec(t, `UPDATE users SET role = 'editor'`)
	require.True(t, edited())
	e.Exec(t, `UPDATE users SET role = 'admin'`)
	require.False(t, edited())
	e.Exec(t, `ALTER TABLE users ADD COLUMN shoe_size int DEFAULT 40`)
	require.False(t, edited(), "a new column does not count as an edit")
}

// Several rows of a file write values of one entity. Each value is traced to its own row, in
// any chunk order and within a chunk.
func TestHistoryTracesValuesToRows(t *testing.T) {
	t.Parallel()
	for _, chunkRows := range []int{1, 100} {
		for _, reverse := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d rows a chunk, reverse %v", chunkRows, reverse), func(t *testing.T) {
				t.Parallel()
				e := setup(t, chunkRows)
				ref := e.create(t, "USER", "u.csv", "Email,Name,Role\nada@x.org,Ada,admin\nada@x.org,Ada L,\n", func(j *job.Job) { j.AutoStart, j.Mode = true, rowwrite.Upsert })
				e.prepare(t, ref)
				e.drain(t, reverse)
				id := postgrestest.Query[string](t, e.Database, `SELECT id::text FROM users`)
				entity, steps, _, values := e.historyOf(t, "users", id)
				kind, _ := catalog.New().ByName("USER")
				for field, row := range map[string]int64{"NAME": 3, "ROLE": 2} {
					d := kind.Declaration()
					place := d.FieldIndex(field)
					v := values[d.Fields[place].Column]
					require.Equal(t, row, v.Row(entity, steps, place), field)
				}
			})
		}
	}
}

// A value changed outside all imports differs from the imported one. Values from before all
// imports, or from an import without stored changes, have no origin.
func TestHistoryEndsWithRetention(t *testing.T) {
	t.Parallel()
	e := setup(t, 2)
	e.Exec(t, `INSERT INTO users (organisation_id, email, name) VALUES (1, 'ada@x.org', 'A'), (1, 'ben@x.org', 'B')`)
	run := func(file string) job.Key {
		ref := e.create(t, "USER", "u.csv", "Email,Name,Role\n"+file, func(j *job.Job) { j.AutoStart, j.Mode = true, rowwrite.Upsert })
		e.prepare(t, ref)
		e.drain(t, false)
		return e.job(t, ref).Key
	}
	first := run("ada@x.org,Ada,\nben@x.org,Ben,\n")
	second := run("ada@x.org,Ada L,admin\n")
	id := postgrestest.Query[string](t, e.Database, `SELECT id::text FROM users WHERE email = 'ada@x.org'`)

	entity, steps, end, values := e.historyOf(t, "users", id)
	require.Equal(t, history.EndForeign, end)
	require.Len(t, steps, 2)
	require.Equal(t, []job.Key{second, first}, []job.Key{steps[0].Job, steps[1].Job})
	require.Equal(t, -1, values["email"].Step)
	require.Equal(t, 0, values["name"].Step)
	require.Equal(t, "Ada", *history.StepValues(entity, steps, 1)["name"])

	e.Exec(t, `UPDATE users SET name = 'Lady Ada' WHERE email = 'ada@x.org'`)
	_, _, _, values = e.historyOf(t, "users", id)
	require.True(t, values["name"].Edited)
	require.False(t, values["role"].Edited)

	e.Exec(t, `DELETE FROM import_changes WHERE job_id = $1`, first)
	_, steps, end, _ = e.historyOf(t, "users", id)
	require.Len(t, steps, 1)
	require.Equal(t, history.EndLost, end)
}
