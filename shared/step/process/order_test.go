package process_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/postgrestest"
)

// The tests here process a file's chunks in random order, several at a time and
// some twice, and compare with a model that reads the file from top to bottom.

const rounds = 8

// identifier is an id that belongs to number n.
func identifier(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// people are rows of few enough people that many are there several times.
func people(random *rand.Rand, rows, of int, cells func(n, row int) []string) [][]string {
	var out [][]string
	for i := range rows {
		out = append(out, cells(random.IntN(of), i+2))
	}
	return out
}

func TestInsertInAnyOrderIsAsFromTopToBottom(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fields []string
		cells  func(n, row int) []string
	}{
		"one key":  {[]string{"EMAIL", "NAME"}, func(n, row int) []string { return []string{email(n), fmt.Sprintf("row %d", row)} }},
		"two keys": {[]string{"EMAIL", "NAME", "ID"}, func(n, row int) []string { return []string{email(n), fmt.Sprintf("row %d", row), identifier(n)} }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := seeded(t)
			for range rounds {
				r := setup(t)
				r.Exec(t, `INSERT INTO users (organisation_id, email, name, id) VALUES (1, $1, 'was there', $2)`, email(0), identifier(0))
				f := file{mode: job.Insert, fields: c.fields, rows: people(random, 60, 25, c.cells), chunkRows: 1 + random.IntN(9)}
				table, outcomes := []string{email(0) + " was there"}, []string{}
				holder := map[string]string{email(0): "ERROR ALREADY_EXISTS"} // what becomes of a row with that address
				for _, row := range f.rows {
					if refused, ok := holder[row[0]]; ok {
						outcomes = append(outcomes, refused)
						continue
					}
					holder[row[0]] = "ERROR ROW_DUPLICATE"
					outcomes = append(outcomes, "CREATED")
					table = append(table, row[0]+" "+row[1])
				}
				run := r.begin(t, f)
				r.deliver(t, 1+random.IntN(4), shuffledTwice(random, run.chunks))
				require.Equal(t, outcomes, r.outcomes(t, run))
				r.requireCounters(t, run, outcomes)
				require.ElementsMatch(t, table, postgrestest.Query[[]string](t, r.Database, `SELECT array_agg(email || ' ' || name) FROM users`))
			}
		})
	}
}

// Which of the rows for a new entry counts as the one that created it is not
// promised: it is the one that was written first.
func TestUpsertInAnyOrderIsAsFromTopToBottom(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	for range rounds {
		r := setup(t)
		r.Exec(t, `INSERT INTO users (organisation_id, email, name, role) VALUES (1, $1, 'was there', 'owner')`, email(0))
		f := file{mode: job.Upsert, fields: []string{"EMAIL", "NAME", "ROLE"}, chunkRows: 1 + random.IntN(9)}
		f.rows = people(random, 60, 25, func(n, row int) []string {
			return []string{email(n), fmt.Sprintf("row %d", row), fmt.Sprintf("role %d", row)}
		})
		last, created := map[string]string{email(0): "was there owner"}, int64(0)
		for _, row := range f.rows {
			if _, known := last[row[0]]; !known {
				created++
			}
			last[row[0]] = row[1] + " " + row[2]
		}
		run := r.begin(t, f)
		r.deliver(t, 1+random.IntN(4), shuffledTwice(random, run.chunks))
		outcomes := r.outcomes(t, run)
		require.Equal(t, map[string]int64{"CREATED": created, "UPDATED": 60 - created}, tally(outcomes))
		r.requireCounters(t, run, outcomes)
		var table []string
		for address, is := range last {
			table = append(table, address+" "+is)
		}
		require.ElementsMatch(t, table, postgrestest.Query[[]string](t, r.Database, `SELECT array_agg(email || ' ' || name || ' ' || role) FROM users`))
	}
}

// member is what is kept of a person and of their membership.
type member struct{ name, phone, kind, number string }

func (m member) String() string { return fmt.Sprintf("%s|%s|%s|%s", m.name, m.phone, m.kind, m.number) }

// A roster has some cells empty: what one row leaves open, no other fills.
func TestARosterInAnyOrderIsAsFromTopToBottom(t *testing.T) {
	t.Parallel()
	random := seeded(t)
	for range rounds {
		r := setup(t)
		r.Exec(t, `
			INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES (1, 1, '2026', '2026-01-01', '2026-12-31');
			INSERT INTO membership_types (id, organisation_id, name) VALUES (1, 1, 'Senior'), (2, 1, 'Junior');
			INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email)
			VALUES (1, 'email:u0@x.org', 'Known', 'member', 'u0@x.org'), (1, 'email:u1@x.org', 'Known', 'person', 'u1@x.org');
			INSERT INTO memberships (organisation_id, person_id, period_id, type_id)
			SELECT 1, id, 1, 1 FROM persons WHERE identity_key = 'email:u0@x.org'`)
		f := file{kind: "MEMBERSHIP", mode: job.Insert, period: 1, chunkRows: 1 + random.IntN(9),
			fields: []string{"EMAIL", "FIRST_NAME", "LAST_NAME", "PHONE", "MEMBERSHIP_TYPE_ID", "MEMBERSHIP_NUMBER"}}
		sometimes := func(s string) string {
			if random.IntN(2) == 0 {
				return ""
			}
			return s
		}
		f.rows = people(random, 60, 25, func(n, row int) []string {
			kind := []string{"Senior", "Junior"}[random.IntN(2)]
			return []string{email(n), "Row", fmt.Sprint(row), sometimes(fmt.Sprintf("+27 %d", row)), kind, sometimes(fmt.Sprintf("M%d", row))}
		})
		is := map[string]member{email(0): {"Known member", "", "Senior", ""}}
		persons := map[string]member{email(1): {name: "Known person"}}
		var outcomes []string
		seen := map[string]bool{}
		for _, row := range f.rows {
			switch _, known := is[row[0]]; {
			case seen[row[0]]:
				outcomes = append(outcomes, "ERROR ROW_DUPLICATE")
			case known:
				outcomes = append(outcomes, "SKIPPED ALREADY_EXISTS")
			default:
				m := member{row[1] + " " + row[2], row[3], row[4], row[5]}
				if p, known := persons[row[0]]; known {
					m.name, m.phone = p.name, p.phone
				}
				is[row[0]] = m
				outcomes = append(outcomes, "CREATED")
				seen[row[0]] = true
			}
		}
		run := r.begin(t, f)
		r.deliver(t, 1+random.IntN(4), shuffledTwice(random, run.chunks))
		require.Equal(t, outcomes, r.outcomes(t, run))
		r.requireCounters(t, run, outcomes)
		var table []string
		for _, m := range is {
			table = append(table, m.String())
		}
		found := postgrestest.Query[[]string](t, r.Database, `
			SELECT array_agg(concat_ws('|', p.first_name || ' ' || p.last_name, coalesce(p.phone, ''), t.name, coalesce(m.membership_number, '')))
			FROM memberships AS m JOIN persons AS p ON p.id = m.person_id JOIN membership_types AS t ON t.id = m.type_id`)
		slices.Sort(table)
		slices.Sort(found)
		require.Equal(t, table, found)
	}
}
