package step_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/postgrestest"
)

// rosterPerson is a person of a generated roster. The race number shows who is who, and identifies
// nobody.
type rosterPerson struct{ first, last, email, born, number, bib string }

var (
	rosterFirstNames = strings.Fields("Tim Tom Max Moritz Jan Jana Anna Anne Paul Paula Lea Leo Eva Ewald Mia Mika Ben Bente Kim Karl " +
		"Nora Noah Uwe Ute Ida Idris Finn Fiona Otto Olga Lars Lara Hugo Hanna Emil Rosa Emilia Robert Zoe Yann")
	rosterLastNames = strings.Fields("Alder Becker Conrad Dietz Engel Fischer Gruber Hartmann Ibsen Jansen Keller Lorenz Meyer Neumann Ortega " +
		"Petersen Quandt Richter Schubert Thomsen Ulrich Vogel Wagner Xavier Zimmer")
)

// rosterOfFamilies returns people who share what people share: families of four have an address and
// a last name, every second one has twins, and some have a father and a son of the same name; others
// in the roster have the same name; and forty people have the address of their club.
func rosterOfFamilies(count int) []rosterPerson {
	people := make([]rosterPerson, count)
	for i := range people {
		family := i / 4
		p := rosterPerson{
			first: rosterFirstNames[i%len(rosterFirstNames)], last: rosterLastNames[family%len(rosterLastNames)],
			email: fmt.Sprintf("family%d@x.org", family), number: fmt.Sprintf("%09d", 900_000_000+i*7), bib: fmt.Sprint(i + 1),
			born: time.Date(1950, 1, 1+i*41, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
		}
		switch {
		case i%8 == 3:
			p.born = people[i-1].born
		case i%100 == 57:
			p.first = people[i-1].first
		}
		if i < 40 {
			p.email = "info@club.org"
		}
		people[i] = p
	}
	return people
}

// isNamedAfter reports whether somebody with the same address has the same name.
func isNamedAfter(p rosterPerson) bool {
	return strings.HasSuffix(p.bib, "57") || strings.HasSuffix(p.bib, "58")
}

// rosterFile returns a roster with some of the columns First name, Last name, Email, Date of birth,
// ID number, and always the category and the race number.
func rosterFile(people []rosterPerson, columns string) string {
	var b strings.Builder
	all := []struct {
		letter, header string
		value          func(rosterPerson) string
	}{
		{"f", "First name", func(p rosterPerson) string { return p.first }}, {"l", "Last name", func(p rosterPerson) string { return p.last }},
		{"e", "Email", func(p rosterPerson) string { return p.email }}, {"b", "Date of birth", func(p rosterPerson) string { return p.born }},
		{"n", "ID number", func(p rosterPerson) string { return p.number }},
	}
	for _, c := range all {
		if strings.Contains(columns, c.letter) {
			b.WriteString(c.header + ",")
		}
	}
	b.WriteString("Category,Bib\n")
	for _, p := range people {
		for _, c := range all {
			if strings.Contains(columns, c.letter) {
				b.WriteString(c.value(p) + ",")
			}
		}
		b.WriteString("Junior," + p.bib + "\n")
	}
	return b.String()
}

// enteredPeople returns the person's id and values by race number.
func (e *engine) enteredPeople(t *testing.T) (ids, values []string) {
	t.Helper()
	const from = `FROM event_participants AS e JOIN persons AS p ON p.id = e.person_id`
	return postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(e.race_number || ' ' || p.id ORDER BY e.race_number::int) `+from),
		postgrestest.Query[[]string](t, e.Database, `SELECT array_agg(concat_ws(' ', e.race_number, p.first_name, p.last_name, p.email, p.birth_date, p.identity_number) ORDER BY e.race_number::int) `+from)
}

// TestRosterRecognisesPeople imports a roster of 500 and then the same people with a change: nobody
// is entered twice, and nobody gets the entry of another person.
func TestRosterRecognisesPeople(t *testing.T) {
	t.Parallel()
	same := func(p rosterPerson) rosterPerson { return p }
	for name, c := range map[string]struct {
		first, second string // columns
		change        func(rosterPerson) rosterPerson
		without       func(rosterPerson) bool
		kept          string // columns that the second roster lacks
	}{
		"unchanged":                       {first: "flebn", second: "flebn", change: same},
		"identity number added":           {first: "fleb", second: "flebn", change: same},
		"identity number dropped":         {first: "flebn", second: "fleb", change: same},
		"address dropped":                 {first: "fleb", second: "flb", change: same},
		"address added":                   {first: "flb", second: "fleb", change: same},
		"birth date dropped":              {first: "fleb", second: "fle", change: same, without: isNamedAfter},
		"birth date added":                {first: "fle", second: "fleb", change: same, without: isNamedAfter},
		"address replaced by the number":  {first: "fleb", second: "flbn", change: same},
		"all but the number dropped":      {first: "flebn", second: "fln", change: same},
		"address corrected":               {first: "fleb", second: "fleb", change: func(p rosterPerson) rosterPerson { p.email = "new." + p.email; return p }},
		"birth date corrected":            {first: "fleb", second: "fleb", without: isNamedAfter, change: func(p rosterPerson) rosterPerson { p.born = "2001" + p.born[4:]; return p }},
		"first name corrected":            {first: "fleb", second: "fleb", change: func(p rosterPerson) rosterPerson { p.first += "hild"; return p }},
		"last name corrected":             {first: "fleb", second: "fleb", change: func(p rosterPerson) rosterPerson { p.last = p.last[:3] + p.last[4:]; return p }},
		"last name changed, with a birth": {first: "fleb", second: "fleb", without: isNamedAfter, change: func(p rosterPerson) rosterPerson { p.last = "Newlywed"; return p }},
		"everything corrected by the number": {first: "flebn", second: "flebn", change: func(p rosterPerson) rosterPerson {
			p.first, p.last, p.email, p.born = p.first+"imilian", p.last+"mann", "new."+p.email, "2001"+p.born[4:]
			return p
		}},
		"capitals and spaces": {first: "fleb", second: "fleb", change: func(p rosterPerson) rosterPerson {
			p.first, p.last = strings.ToUpper(p.first), p.last+" "
			return p
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupEvent(t)
			people := rosterOfFamilies(500)
			if c.without != nil {
				people = slices.DeleteFunc(people, c.without)
			}
			ref := e.createInEvent(t, "EVENT_PARTICIPANT", rosterFile(people, c.first), `{}`)
			e.runWhole(t, ref, 200)
			require.Equal(t, job.Counts{Created: int64(len(people))}, e.job(t, ref).Progress.Counts)
			before, _ := e.enteredPeople(t)

			changed := make([]rosterPerson, len(people))
			for i, p := range people {
				changed[i] = c.change(p)
			}
			slices.Reverse(changed)
			ref = e.createInEvent(t, "EVENT_PARTICIPANT", rosterFile(changed, c.second), `{}`)
			e.runWhole(t, ref, 200)
			p := e.job(t, ref).Progress
			require.Zero(t, p.Counts.Created+p.Counts.Errored, "%v", e.results(t, ref))
			after, values := e.enteredPeople(t)
			require.Equal(t, before, after)
			require.Len(t, e.persons(t), len(people))
			for i, p := range people {
				want := c.change(p)
				text := []string{p.bib, want.first, strings.TrimSpace(want.last)}
				for _, v := range []struct{ column, value string }{{"e", want.email}, {"b", want.born}, {"n", want.number}} {
					if strings.Contains(c.first+c.second, v.column) {
						text = append(text, v.value)
					}
				}
				require.Equal(t, strings.Join(text, " "), values[i])
			}

			ref = e.createInEvent(t, "EVENT_PARTICIPANT", rosterFile(changed, c.second), `{}`)
			e.runWhole(t, ref, 200)
			require.Equal(t, job.Counts{Unchanged: int64(len(people))}, e.job(t, ref).Progress.Counts)
		})
	}
}

// TestRosterDoesNotMergeRelatives imports a roster with one person of each family, and then another
// with relatives only: all of them are new, and the rows say who has the same address.
func TestRosterDoesNotMergeRelatives(t *testing.T) {
	t.Parallel()
	e := setupEvent(t)
	var present, absent []rosterPerson
	for i, p := range rosterOfFamilies(200) {
		switch {
		case i%40 >= 20 && i%2 == 0: // of families whose first names differ in more than a letter
			present = append(present, p)
		case i%40 >= 20:
			p.first += "bert"
			absent = append(absent, p)
		}
	}
	e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", rosterFile(present, "fleb"), `{}`), 30)
	before, _ := e.enteredPeople(t)
	ref := e.createInEvent(t, "EVENT_PARTICIPANT", rosterFile(absent, "fleb"), `{}`)
	result := e.runWhole(t, ref, 30)
	require.Equal(t, job.Counts{Created: int64(len(absent))}, e.job(t, ref).Progress.Counts, "%v", e.results(t, ref))
	require.Len(t, result["issues"], len(absent))
	after, _ := e.enteredPeople(t)
	require.Subset(t, after, before)
	require.Len(t, e.persons(t), len(present)+len(absent))
}

// TestRosterRows imports single rows beside participants that they may or may not be.
func TestRosterRows(t *testing.T) {
	t.Parallel()
	const header = "First name,Last name,Email,Date of birth,ID number,Category,Registration number\n"
	for name, c := range map[string]struct {
		first, second string
		outcome       string
		people        []string
	}{
		"nickname": {
			"Bob,I,i@x.org,,,Junior,\n", "Robert,I,i@x.org,,,Junior,\n", "2 CREATED EMAIL IDENTITY_AMBIGUOUS",
			[]string{"Bob I email:i@x.org", "Robert I email:i@x.org|robert|i|"},
		},
		"resembling first name": {
			"Max,I,i@x.org,,,Junior,\n", "Maximilian,I,i@x.org,,,Junior,\n", "2 UPDATED EMAIL IDENTITY_AMBIGUOUS", []string{"Maximilian I email:i@x.org"},
		},
		"resembling first name with another birth date": {
			"Tim,I,i@x.org,2001-02-03,,Junior,\n", "Tom,I,i@x.org,2003-02-01,,Junior,\n", "2 CREATED EMAIL IDENTITY_AMBIGUOUS",
			[]string{"Tim I email:i@x.org", "Tom I email:i@x.org|tom|i|00000467"},
		},
		"name alone": {
			"Ina,I,i@x.org,,,Junior,\n", "Ina,I,other@x.org,,,Junior,\n", "2 CREATED EMAIL IDENTITY_AMBIGUOUS", []string{"Ina I email:i@x.org", "Ina I email:other@x.org"},
		},
		"name of another person": {
			"Ina,I,i@x.org,2000-02-03,,Junior,\n", "Ina,I,other@x.org,1970-02-03,,Junior,\n", "2 CREATED", []string{"Ina I email:i@x.org", "Ina I email:other@x.org"},
		},
		"name with another birth date": {
			"Ina,I,,2000-02-03,,Junior,\n", "Ina,I,,1970-02-03,,Junior,\n", "2 CREATED LAST_NAME IDENTITY_AMBIGUOUS",
			[]string{"Ina I name:ina|i|00000021", "Ina I name:ina|i|ffffd554"},
		},
		"name with registration number": {
			"Ina,I,i@x.org,,,Junior,R1\n", "Ina,I,other@x.org,,,Junior,R1\n", "2 UPDATED", []string{"Ina I email:other@x.org"},
		},
		"registration number alone": {
			"Ina,I,i@x.org,,,Junior,R1\n", "Ute,U,u@x.org,,,Junior,R1\n", "2 ERROR REGISTRATION_NUMBER ALREADY_EXISTS", []string{"Ina I email:i@x.org"},
		},
		"entry transferred to a relative": {
			"Ina,I,i@x.org,,,Junior,R1\n", "Bernd,I,i@x.org,,,Junior,R1\n", "2 ERROR REGISTRATION_NUMBER ALREADY_EXISTS", []string{"Ina I email:i@x.org"},
		},
		"other identity number": {
			"Ina,I,i@x.org,,777001,Junior,\n", "Ina,I,i@x.org,,777010,Junior,\n", "2 CREATED EMAIL IDENTITY_AMBIGUOUS", []string{"Ina I id:777001", "Ina I id:777010"},
		},
		"two candidates": {
			"Ina,I,i@x.org,2000-02-03,,Junior,\nIna,I,i@x.org,1970-02-03,,Junior,\n", "Ina,I,i@x.org,,,Junior,\n", "2 CREATED EMAIL IDENTITY_AMBIGUOUS",
			[]string{"Ina I email:i@x.org", "Ina I email:i@x.org|ina|i|", "Ina I email:i@x.org|ina|i|ffffd554"},
		},
		"composed letters": {
			"Jose\u0301,I,i@x.org,,,Junior,\n", "Jos\u00e9,I,i@x.org,,,Junior,\n", "2 UPDATED", []string{"Jos\u00e9 I email:i@x.org"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := setupEvent(t)
			e.runWhole(t, e.createInEvent(t, "EVENT_PARTICIPANT", header+c.first, `{}`), 100)
			ref := e.createInEvent(t, "EVENT_PARTICIPANT", header+c.second, `{}`)
			e.runWhole(t, ref, 100)
			require.Equal(t, []string{c.outcome}, e.results(t, ref))
			people := e.persons(t)
			slices.Sort(people)
			require.Equal(t, c.people, people)

			ref = e.createInEvent(t, "EVENT_PARTICIPANT", header+c.second, `{}`)
			e.runWhole(t, ref, 100)
			require.Zero(t, e.job(t, ref).Progress.Counts.Created, "the same file again enters nobody")
			require.Len(t, e.persons(t), len(c.people))
		})
	}
}
