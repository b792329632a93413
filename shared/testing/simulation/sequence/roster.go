package sequence

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// person is a person of a roster as a row or the database describes them; "" for an unknown value.
type person struct{ first, last, email, born, number, category string }

// roster models the participants of an event. Each person has a race number, which identifies
// nobody but shows who is who.
type roster struct {
	drawer
	real    []person // with all values
	entered map[int]person
}

// newRoster returns an event without participants. Of the people, 0 to 3 are relatives with one
// address, and 4 and 5, and 6 and 7, have the same name.
func newRoster(d drawer) *roster {
	first := []string{"Alexander", "Bernd", "Christine", "Dorothea", "Eugen", "Eugen", "Friederike", "Friederike", "Gertrud", "Heinz", "Ingeborg", "Justus"}
	last := []string{"Becker", "Becker", "Becker", "Becker", "Fischer", "Fischer", "Hartmann", "Hartmann", "Fischer", "Jansen", "Keller", "Lorenz"}
	m := &roster{d, nil, make(map[int]person)}
	for i := range first {
		p := person{first: first[i], last: last[i], email: fmt.Sprintf("p%d@x.org", i), number: fmt.Sprint(900_000_000 + 7*i), category: pick(d, "Elite", "Junior")}
		p.born = fmt.Sprintf("%d-%02d-%02d", 1950+4*i, 1+i%12, 1+2*i%28)
		if i < 4 {
			p.email = "becker@x.org"
		}
		m.real = append(m.real, p)
	}
	m.real[1].born = m.real[0].born // twins
	return m
}

// rosterState is a saved state.
type rosterState struct {
	real    []person
	entered map[int]person
}

// Save returns a copy of the roster.
func (m *roster) Save() any {
	s := rosterState{slices.Clone(m.real), make(map[int]person)}
	for n, p := range m.entered {
		s.entered[n] = p
	}
	return s
}

// Restore returns to a saved roster.
func (m *roster) Restore(state any) {
	s := state.(rosterState)
	m.real, m.entered = s.real, s.entered
}

// SetupSQL creates the event.
func (m *roster) SetupSQL() []string {
	return []string{
		`INSERT INTO events (id, organisation_id, name) VALUES ($1 * 100 + 1, $1, 'Race')`,
		`INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES ($1 * 100 + 1, $1, $1 * 100 + 1, 'Elite'), ($1 * 100 + 2, $1, $1 * 100 + 1, 'Junior')`,
	}
}

// Tables returns the participants, and all people.
func (m *roster) Tables() []checker.Table {
	entries, people := []string{}, []string{}
	for n, p := range m.entered {
		who := strings.Join([]string{p.first, p.last, p.email, p.born, p.number}, "|")
		people, entries = append(people, who), append(entries, fmt.Sprintf("%d|%s|%s", n+1, who, p.category))
	}
	const who = `p.first_name, p.last_name, coalesce(p.email, ''), coalesce(p.birth_date::text, ''), coalesce(p.identity_number, '')`
	return []checker.Table{
		{Name: "persons", Want: people, SQL: `SELECT concat_ws('|', ` + who + `) FROM persons AS p WHERE organisation_id = $1`},
		{Name: "participants", Want: entries, SQL: `SELECT concat_ws('|', e.race_number, ` + who + `, c.name)
			FROM event_participants AS e JOIN persons AS p ON (p.organisation_id, p.id) = (e.organisation_id, e.person_id) JOIN event_categories AS c ON (c.organisation_id, c.id) = (e.organisation_id, e.category_id) WHERE e.organisation_id = $1`},
	}
}

// Next draws a roster with some of the identifying columns, and with corrections. It only contains
// rows that docs/people.md assigns to one person, or to nobody.
func (m *roster) Next() (*File, *Expectation) {
	email, born, number := m.chance(60), m.chance(60), m.chance(35)
	if !email && !born && !number {
		born = true
	}
	rows := make(map[int]person)
	for _, n := range m.Perm(len(m.real)) {
		if m.chance(25) {
			continue
		}
		show := func(p person) person {
			if !email {
				p.email = ""
			}
			if !born {
				p.born = ""
			}
			if !number {
				p.number = ""
			}
			return p
		}
		corrected := m.correct(m.real[n])
		for _, p := range []person{corrected, m.real[n]} {
			if row := show(p); m.isClear(n, row) {
				rows[n] = row
				m.note(n, p, row)
				break
			}
		}
	}
	header := []string{"First name", "Last name", "Category", "Bib"}
	for _, c := range []struct {
		has  bool
		name string
	}{{email, "Email"}, {born, "Date of birth"}, {number, "ID number"}} {
		if c.has {
			header = append(header, c.name)
		}
	}
	e := &Expectation{Lines: []checker.Line{headerLine()}}
	var cells [][]string
	for _, n := range m.Perm(len(m.real)) {
		p, ok := rows[n]
		if !ok {
			continue
		}
		row := []string{p.first, p.last, p.category, fmt.Sprint(n + 1)}
		for _, v := range []struct {
			has  bool
			text string
		}{{email, p.email}, {born, p.born}, {number, p.number}} {
			if v.has {
				row = append(row, v.text)
			}
		}
		cells = append(cells, row)
		e.Lines = append(e.Lines, checker.Line{Outcome: m.enter(n, p)})
	}
	return &File{Type: "EVENT_PARTICIPANT", Filename: "roster.csv", Content: csvFile(header, cells), Options: `{"delimiter":",","headerRow":1,"dateOrder":"ymd"}`, InContext: true}, e
}

// correct corrects some values of a person.
func (m *roster) correct(p person) person {
	if m.chance(55) {
		return p
	}
	newBirth := fmt.Sprintf("%d-%02d-%02d", 1905+m.IntN(40), 1+m.IntN(12), 1+m.IntN(28))
	newAddress := fmt.Sprintf("new%d@x.org", m.IntN(1_000_000))
	switch m.IntN(6) {
	case 0:
		p.email = newAddress
	case 1:
		p.born = newBirth
	case 2:
		p.first += "hild"
	case 3:
		p.last = p.last[:3] + p.last[4:]
	case 4:
		p.category = pick(m.drawer, "Elite", "Junior")
	case 5: // only the identity number stays
		p.first, p.last, p.email, p.born = p.first+"imilian", p.last+"mann", newAddress, newBirth
	}
	return p
}

// isClear reports whether a row about person n is recognised as that person, or is new and about
// nobody who is entered.
func (m *roster) isClear(n int, row person) bool {
	if len(row.first) > 30 || len(row.last) < 4 || len(row.last) > 30 {
		return false
	}
	own, known := m.entered[n]
	if known && !row.isSame(own) {
		return false
	}
	for other, p := range m.entered {
		if other != n && row.isSame(p) {
			return false
		}
	}
	return true
}

// isSame is the rule of docs/people.md for a row and a participant.
func (p person) isSame(of person) bool {
	equal := func(a, b string) bool { return a != "" && a == b }
	differ := func(a, b string) bool { return a != "" && b != "" && a != b }
	if equal(p.number, of.number) || differ(p.number, of.number) {
		return p.number == of.number
	}
	sameFirst, sameLast := p.first == of.first, p.last == of.last
	switch {
	case sameFirst && sameLast:
		return equal(p.born, of.born) || equal(p.email, of.email)
	case !equal(p.email, of.email) || differ(p.born, of.born):
		return false
	case sameLast:
		return resemble(p.first, of.first)
	case sameFirst:
		return resemble(p.last, of.last) || equal(p.born, of.born)
	}
	return false
}

// resemble reports whether one name begins with the other, or lacks one letter of it.
func resemble(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	if strings.HasPrefix(b, a) {
		return true
	}
	for i := range b {
		if b[:i]+b[i+1:] == a {
			return true
		}
	}
	return false
}

// note makes the values of a row the real ones.
func (m *roster) note(n int, corrected, row person) {
	m.real[n].first, m.real[n].last, m.real[n].category = row.first, row.last, row.category
	if row.email != "" {
		m.real[n].email = corrected.email
	}
	if row.born != "" {
		m.real[n].born = corrected.born
	}
}

// enter enters a row about a person.
func (m *roster) enter(n int, row person) rowwrite.Outcome {
	old, known := m.entered[n]
	now := row
	if known {
		now.email, now.born, now.number = keep(row.email, old.email), keep(row.born, old.born), keep(row.number, old.number)
	}
	m.entered[n] = now
	switch {
	case !known:
		return rowwrite.Created
	case now == old:
		return rowwrite.Unchanged
	}
	return rowwrite.Updated
}

// keep returns a cell, or the old value if it is empty.
func keep(cell, old string) string {
	if cell == "" {
		return old
	}
	return cell
}
