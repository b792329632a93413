package process_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// These tests process the chunks of a file in random order, several at a time and some twice,
// and compare the result with a model that reads the file from top to bottom.

const randomRuns = 5

// identifier returns the id for number n.
func identifier(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// personRows returns rows about so few people that many occur several times.
func personRows(random *rand.Rand, rows, of int, cells func(n, row int) []string) [][]string {
	var out [][]string
	for i := range rows {
		out = append(out, cells(random.IntN(of), i+2))
	}
	return out
}

func TestInsertIsOrderIndependent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields []string
		cells  func(n, row int) []string
	}{
		"rows with one key":  {[]string{"EMAIL", "NAME"}, func(n, row int) []string { return []string{emailOf(n), fmt.Sprintf("row %d", row)} }},
		"rows with two keys": {[]string{"EMAIL", "NAME", "ID"}, func(n, row int) []string { return []string{emailOf(n), fmt.Sprintf("row %d", row), identifier(n)} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random, r := newRandom(t), setup(t)
			for range randomRuns {
				r.Exec(t, `DELETE FROM users`)
				r.Exec(t, `INSERT INTO users (organisation_id, email, name, id) VALUES (1, $1, 'was there', $2)`, emailOf(0), identifier(0))
				f := importFile{mode: rowwrite.Insert, fields: c.fields, rows: personRows(random, 60, 25, c.cells), chunkRows: 1 + random.IntN(9)}
				table, outcomes := []string{emailOf(0) + " was there"}, []string{}
				holder := map[string]string{emailOf(0): "ERROR ALREADY_EXISTS"} // outcome of a row with that address
				for _, row := range f.rows {
					if refused, ok := holder[row[0]]; ok {
						outcomes = append(outcomes, refused)
						continue
					}
					holder[row[0]] = "ERROR ROW_DUPLICATE"
					outcomes = append(outcomes, "CREATED")
					table = append(table, row[0]+" "+row[1])
				}
				run := r.splitAndComplete(t, f)
				r.deliver(t, 1+random.IntN(4), shuffledTwice(random, run.chunks))
				require.Equal(t, outcomes, r.outcomes(t, run))
				r.requireCounters(t, run, outcomes)
				require.ElementsMatch(t, table, postgrestest.Query[[]string](t, r.Database, `SELECT array_agg(email || ' ' || name) FROM users`))
			}
		})
	}
}

// It is not specified which row of a new entry counts as its creator: it is the one that was
// written first.
func TestUpsertIsOrderIndependent(t *testing.T) {
	t.Parallel()
	random, r := newRandom(t), setup(t)
	for range randomRuns {
		r.Exec(t, `DELETE FROM users`)
		r.Exec(t, `INSERT INTO users (organisation_id, email, name, role) VALUES (1, $1, 'was there', 'owner')`, emailOf(0))
		f := importFile{mode: rowwrite.Upsert, fields: []string{"EMAIL", "NAME", "ROLE"}, chunkRows: 1 + random.IntN(9)}
		f.rows = personRows(random, 60, 25, func(n, row int) []string {
			return []string{emailOf(n), fmt.Sprintf("row %d", row), fmt.Sprintf("role %d", row)}
		})
		last, created := map[string]string{emailOf(0): "was there owner"}, int64(0)
		for _, row := range f.rows {
			if _, known := last[row[0]]; !known {
				created++
			}
			last[row[0]] = row[1] + " " + row[2]
		}
		run := r.splitAndComplete(t, f)
		r.deliver(t, 1+random.IntN(4), shuffledTwice(random, run.chunks))
		outcomes := r.outcomes(t, run)
		require.Equal(t, map[string]int64{"CREATED": created, "UPDATED": 60 - created}, countOutcomes(outcomes))
		r.requireCounters(t, run, outcomes)
		var table []string
		for address, is := range last {
			table = append(table, address+" "+is)
		}
		require.ElementsMatch(t, table, postgrestest.Query[[]string](t, r.Database, `SELECT array_agg(email || ' ' || name || ' ' || role) FROM users`))
	}
}

// member is the stored data of a person and their membership.
type member struct{ name, phone, kind, number string }

func (m member) String() string { return fmt.Sprintf("%s|%s|%s|%s", m.name, m.phone, m.kind, m.number) }

// members returns the members in the database.
func (r *harness) members(t *testing.T) []string {
	t.Helper()
	return postgrestest.Query[[]string](t, r.Database, `
		SELECT array_agg(concat_ws('|', p.first_name || ' ' || p.last_name, coalesce(p.phone, ''), t.name, coalesce(m.membership_number, '')))
		FROM memberships AS m JOIN persons AS p ON p.id = m.person_id JOIN membership_types AS t ON t.id = m.type_id`)
}

// randomRoster returns a random roster, and a database in which u0 is a member and u1
// a person.
func (r *harness) randomRoster(t *testing.T, random *rand.Rand, mode rowwrite.Mode, cell func(string) string) importFile {
	t.Helper()
	r.Exec(t, `
		TRUNCATE persons, membership_periods, membership_types CASCADE;
		INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (1, 1, '2026', '2026-01-01', '2026-12-31');
		INSERT INTO membership_types (id, organisation_id, name) VALUES (1, 1, 'Senior'), (2, 1, 'Junior');
		INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email)
		VALUES (1, 'id:u0@x.org', 'Known', 'member', 'u0@x.org'), (1, 'id:u1@x.org', 'Known', 'person', 'u1@x.org');
		INSERT INTO memberships (organisation_id, person_id, period_id, type_id)
		SELECT 1, id, 1, 1 FROM persons WHERE identity_key = 'id:u0@x.org'`)
	return importFile{
		kind: "MEMBERSHIP", mode: mode, period: 1, chunkRows: 1 + random.IntN(9),
		fields: []string{"ID_NUMBER", "FIRST_NAME", "LAST_NAME", "PHONE", "MEMBERSHIP_TYPE_ID", "MEMBERSHIP_NUMBER"},
		rows: personRows(random, 60, 25, func(n, row int) []string {
			kind := []string{"Senior", "Junior"}[random.IntN(2)]
			return []string{emailOf(n), "Row", fmt.Sprint(row), cell(fmt.Sprintf("+27 %d", row)), kind, cell(fmt.Sprintf("M%d", row))}
		}),
	}
}

func memberOf(row []string) member { return member{row[1] + " " + row[2], row[3], row[4], row[5]} }

// Some cells of the roster are empty: an empty cell is not filled from another row.
func TestRosterInsertIsOrderIndependent(t *testing.T) {
	t.Parallel()
	random, r := newRandom(t), setup(t)
	for range randomRuns {
		f := r.randomRoster(t, random, rowwrite.Insert, func(s string) string {
			if random.IntN(2) == 0 {
				return ""
			}
			return s
		})
		var outcomes []string
		table := []string{member{"Known member", "", "Senior", ""}.String()}
		holder := map[string]string{emailOf(0): "SKIPPED ALREADY_EXISTS"} // outcome of a row about that person
		for _, row := range f.rows {
			if outcome, ok := holder[row[0]]; ok {
				outcomes = append(outcomes, outcome)
				continue
			}
			holder[row[0]] = "ERROR ROW_DUPLICATE"
			outcomes = append(outcomes, "CREATED")
			m := memberOf(row)
			if row[0] == emailOf(1) {
				m.name, m.phone = "Known person", ""
			}
			table = append(table, m.String())
		}
		run := r.splitAndComplete(t, f)
		r.deliver(t, 1+random.IntN(4), shuffledTwice(random, run.chunks))
		require.Equal(t, outcomes, r.outcomes(t, run))
		r.requireCounters(t, run, outcomes)
		require.ElementsMatch(t, table, r.members(t))
	}
}

func TestRosterUpsertIsOrderIndependent(t *testing.T) {
	t.Parallel()
	random, r := newRandom(t), setup(t)
	for range randomRuns {
		f := r.randomRoster(t, random, rowwrite.Upsert, func(s string) string { return s })
		outcomes, of := []string{}, map[string]member{}
		for _, row := range f.rows {
			switch _, repeated := of[row[0]]; {
			case repeated:
				outcomes = append(outcomes, "ERROR ROW_DUPLICATE")
				continue
			case row[0] == emailOf(0):
				outcomes = append(outcomes, "UPDATED")
			default:
				outcomes = append(outcomes, "CREATED")
			}
			of[row[0]] = memberOf(row)
		}
		if _, known := of[emailOf(0)]; !known {
			of[emailOf(0)] = member{"Known member", "", "Senior", ""}
		}
		var table []string
		for _, m := range of {
			table = append(table, m.String())
		}
		run := r.splitAndComplete(t, f)
		r.deliver(t, 1+random.IntN(4), shuffledTwice(random, run.chunks))
		require.Equal(t, outcomes, r.outcomes(t, run))
		r.requireCounters(t, run, outcomes)
		require.ElementsMatch(t, table, r.members(t))
	}
}
