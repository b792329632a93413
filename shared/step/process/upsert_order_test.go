package process_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// Half of the optional cells are empty: a value stays until a later row has one, regardless of
// which row is written first.
func TestSparseUpsertIsOrderIndependent(t *testing.T) {
	t.Parallel()
	random, r := newRandom(t), setup(t)
	sparse := func(s string) string {
		if random.IntN(2) == 0 {
			return ""
		}
		return s
	}
	for round := range 2 * randomRuns {
		r.Exec(t, `DELETE FROM users`)
		r.Exec(t, `INSERT INTO users (organisation_id, id, email, name, role, created_at) VALUES (1, $1, $2, 'was there', 'owner', '2020-01-01Z')`,
			identifier(0), emailOf(0))
		f := importFile{mode: rowwrite.Upsert, fields: []string{"ID", "EMAIL", "NAME", "ROLE", "CREATED_AT"}, chunkRows: 1 + random.IntN(9)}
		f.rows = personRows(random, 80, 15, func(n, row int) []string {
			return []string{identifier(n), emailOf(n), fmt.Sprintf("row %d", row), sparse(fmt.Sprintf("role %d", row)), sparse(fmt.Sprintf("2026-01-01T00:%02d:%02dZ", row/60, row%60))}
		})
		if round%2 == 1 { // identified by the address alone
			f.fields = f.fields[1:]
			for i := range f.rows {
				f.rows[i] = f.rows[i][1:]
			}
		}
		model := newUserModel(f.fields)
		model.users[0] = &modelUser{id: identifier(0), email: emailOf(0), name: "was there", role: "owner", created: "2020-01-01T00:00:00Z"}
		for _, row := range f.rows {
			require.True(t, model.upsert(row))
		}
		run := r.splitAndComplete(t, f)
		r.deliver(t, 1+random.IntN(4), shuffledTwice(random, run.chunks))
		outcomes := r.outcomes(t, run)
		require.Equal(t, map[string]int64{"CREATED": int64(len(model.users) - 1), "UPDATED": int64(81 - len(model.users))}, countOutcomes(outcomes))
		r.requireCounters(t, run, outcomes)
		require.ElementsMatch(t, model.table(), r.users(t))
	}
}

// Addresses move between users. Chunks of any size, processed in sequence, have the same result
// as rows processed in sequence.
func TestExchangedKeysMatchModelForAnyChunks(t *testing.T) {
	t.Parallel()
	random, r := newRandom(t), setup(t)
	for range 3 * randomRuns {
		r.Exec(t, `DELETE FROM users`)
		f := importFile{mode: rowwrite.Upsert, fields: []string{"ID", "EMAIL", "NAME", "ROLE"}, rows: exchangeRows(random, 80), chunkRows: 1 + random.IntN(40)}
		model := newUserModel(f.fields)
		for n := range 6 {
			r.Exec(t, `INSERT INTO users (organisation_id, id, email, name, role) VALUES (1, $1, $2, 'was there', 'owner')`, identifier(n), emailOf(n))
			model.users = append(model.users, &modelUser{id: identifier(n), email: emailOf(n), name: "was there", role: "owner"})
		}
		model.users = model.users[1:]
		var refused []bool
		for _, row := range f.rows {
			refused = append(refused, !model.upsert(row))
		}
		run := r.splitAndComplete(t, f)
		r.deliver(t, 1, run.chunks)
		outcomes := r.outcomes(t, run)
		var got []bool
		for _, o := range outcomes {
			got = append(got, o != "CREATED" && o != "UPDATED")
		}
		require.Equal(t, refused, got, "%v", f.rows)
		r.requireCounters(t, run, outcomes)
		require.ElementsMatch(t, model.table(), r.users(t))
	}
}

// docs/exactly-once.md documents an exception: between chunks, an address belongs to the row that
// was written first. The other row is refused, and loses nothing else.
func TestFirstWrittenChunkKeepsEmail(t *testing.T) {
	t.Parallel()
	r := setup(t)
	run := r.splitAndComplete(t, importFile{mode: rowwrite.Upsert, fields: []string{"ID", "EMAIL", "NAME"}, chunkRows: 1, rows: [][]string{
		{identifier(1), emailOf(1), "first"}, {identifier(2), emailOf(1), "second"},
	}})
	r.deliver(t, 1, []job.ChunkRef{run.chunks[1], run.chunks[0]})
	want := []string{"ERROR ALREADY_EXISTS", "CREATED"}
	require.Equal(t, want, r.outcomes(t, run))
	r.requireCounters(t, run, want)
	require.Equal(t, []string{emailOf(1) + "|second|user|"}, r.users(t))
}

// A row uses the address that a later row releases, for any ids.
func TestEmailReleasedByLaterRowIsTaken(t *testing.T) {
	t.Parallel()
	for _, ids := range [][2]int{{1, 2}, {2, 1}} {
		r := setup(t)
		fields := []string{"ID", "EMAIL", "NAME"}
		r.deliver(t, 1, r.splitAndComplete(t, importFile{mode: rowwrite.Upsert, fields: fields, chunkRows: 9, rows: [][]string{{identifier(ids[1]), emailOf(1), "had it"}}}).chunks)
		run := r.splitAndComplete(t, importFile{mode: rowwrite.Upsert, fields: fields, chunkRows: 9, rows: [][]string{
			{identifier(ids[0]), emailOf(1), "wants it"}, {identifier(ids[1]), emailOf(2), "gives it up"},
		}})
		r.deliver(t, 1, run.chunks)
		require.Equal(t, []string{"ERROR ALREADY_EXISTS", "UPDATED"}, r.outcomes(t, run))
	}
}

// exchangeRows returns rows of few users and fewer addresses; some contain only the address.
func exchangeRows(random *rand.Rand, rows int) [][]string {
	return personRows(random, rows, 8, func(n, row int) []string {
		id, role := identifier(n), fmt.Sprintf("role %d", row)
		if random.IntN(5) == 0 {
			id = ""
		}
		if random.IntN(2) == 0 {
			role = ""
		}
		return []string{id, emailOf(random.IntN(12)), fmt.Sprintf("row %d", row), role}
	})
}

// userModel applies rows in sequence.
type userModel struct {
	fields []string
	users  []*modelUser
}

type modelUser struct{ id, email, name, role, created string }

func newUserModel(fields []string) *userModel {
	return &userModel{fields: fields, users: []*modelUser{{}}}
}

// upsert applies a row, or returns false because its address belongs to another user.
func (m *userModel) upsert(row []string) bool {
	cells := map[string]string{}
	for i, field := range m.fields {
		cells[field] = row[i]
	}
	var self, owner *modelUser
	for _, u := range m.users {
		if u.email == cells["EMAIL"] {
			owner = u
		}
		if cells["ID"] != "" && u.id == cells["ID"] {
			self = u
		}
	}
	if cells["ID"] == "" {
		self = owner
	}
	if owner != nil && owner != self {
		return false
	}
	if self == nil {
		self = &modelUser{id: cells["ID"], role: "user"}
		m.users = append(m.users, self)
	}
	for field, value := range map[string]*string{"EMAIL": &self.email, "NAME": &self.name, "ROLE": &self.role, "CREATED_AT": &self.created} {
		if cells[field] != "" {
			*value = cells[field]
		}
	}
	return true
}

// table returns the users in the form of harness.users. Times, and ids that are not in the file,
// are generated by the database.
func (m *userModel) table() []string {
	var out []string
	for _, u := range m.users {
		out = append(out, fmt.Sprintf("%s|%s|%s|%s", u.email, u.name, u.role, u.created))
	}
	return out
}

// users returns the users in the database.
func (r *harness) users(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, r.Database, `
		SELECT array_agg(concat_ws('|', email, name, role, CASE WHEN created_at > now() - interval '1 hour' THEN ''
			ELSE to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') END))
		FROM users`)
}
