package generate

import (
	"fmt"
	"maps"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// noClass is a category that the event does not have.
const noClass = "Masters"

// classNames are what categories are called in files, and classNumbers what a person
// chooses from.
var (
	classNames   = map[string]map[string]string{"EVENT_CATEGORY_NAME": {"elite": "Elite", "junior": "Junior"}}
	classNumbers = map[int64]string{1: "Elite", 2: "Junior"}
)

// classes are the categories that the event has, by number.
var classes = [...]string{"Elite", "Junior"}

func categoryCell(g *generator, _ int) Cell {
	return g.text("Elite", "ELITE", "junior", "Junior", "Elite", noClass)
}

func event() []string {
	setup := []string{`INSERT INTO events (id, organisation_id, name) VALUES ($1 * 100 + 1, $1, 'Race')`}
	for i, name := range classes {
		setup = append(setup, fmt.Sprintf(`INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES ($1 * 100 + %d, $1, $1 * 100 + 1, '%s')`, i+1, name))
	}
	for n := range existing {
		setup = append(setup,
			fmt.Sprintf(`INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email) VALUES ($1, 'email:%[1]s', 'Old', '%[2]d', '%[1]s')`, address(n), n),
			fmt.Sprintf(`INSERT INTO event_participants (id, organisation_id, event_id, person_id, category_id, registration_number)
				SELECT $1 * 100 + %d, $1, $1 * 100 + 1, id, $1 * 100 + 1, 'G%d' FROM persons WHERE organisation_id = $1 AND email = '%s'`, n+1, n, address(n)))
	}
	return setup
}

// class is the event's name of a category, or "".
func class(name string) string {
	for _, c := range classes {
		if strings.EqualFold(c, name) {
			return c
		}
	}
	return ""
}

func participants() *kind {
	return &kind{
		name: "EVENT_PARTICIPANT", modes: []job.WriteMode{job.Upsert}, whole: true, inContext: true, person: true,
		columns: []columnKind{
			{field: "EMAIL", headers: []string{"Email", "E-mail"}, cell: emailCell},
			{field: "FIRST_NAME", headers: []string{"First name"}, required: true, cell: firstNameCell},
			{field: "LAST_NAME", headers: []string{"Last name", "Surname"}, required: true, cell: lastNameCell},
			{field: "EVENT_CATEGORY_NAME", headers: []string{"Category", "Event category"}, required: true, cell: categoryCell},
			{field: "REGISTRATION_NUMBER", headers: []string{"Registration number", "Reg no"}, optional: true, cell: func(g *generator, n int) Cell {
				if g.chance(8) {
					n = g.IntN(existing)
				}
				return fixed("G%d")(g, n)
			}},
			{field: "CUSTOM_LIST_1", headers: []string{"Custom 1"}, optional: true, cell: func(g *generator, _ int) Cell { return g.text("Small", "Large", "LARGE") }},
		},
		listed: classNames, numbered: classNumbers,
		model: func(*Import) model { return newEntered() },
	}
}

// entered is the model of an event's participants.
type entered struct {
	people  map[string]*thing
	entries map[string]*thing // by address
	lists   map[string]string // values of the custom list, by their lower case
	seen    map[string]bool   // addresses with names
	numbers map[string]bool
	refused map[int64]bool
}

func newEntered() *entered {
	e := &entered{
		people: make(map[string]*thing), entries: make(map[string]*thing), lists: make(map[string]string),
		seen: make(map[string]bool), numbers: make(map[string]bool), refused: make(map[int64]bool),
	}
	for n := range existing {
		a := address(n)
		e.people[a] = &thing{values: map[string]string{"EMAIL": a, "FIRST_NAME": "Old", "LAST_NAME": fmt.Sprint(n)}}
		e.entries[a] = &thing{values: map[string]string{"EMAIL": a, "EVENT_CATEGORY_NAME": "Elite", "REGISTRATION_NUMBER": fmt.Sprintf("G%d", n)}}
	}
	return e
}

func (e *entered) prepare() []string { return event() }

func (e *entered) old(n int) map[string]string {
	values := maps.Clone(e.people[address(n)].values)
	maps.Copy(values, e.entries[address(n)].values)
	return values
}

func (e *entered) look(number int64, r row) {
	a, n := r.values["EMAIL"], r.values["REGISTRATION_NUMBER"]
	who := a + "|" + fullName(r.values)
	if e.seen[who] || e.numbers[n] {
		e.refused[number] = true
		return
	}
	e.seen[who] = true
	if n != "" {
		e.numbers[n] = true
	}
}

func (e *entered) again() {
	clear(e.seen)
	clear(e.numbers)
	clear(e.refused)
}

func (e *entered) apply(number int64, r row) checker.Line {
	var codes []string
	if e.refused[number] {
		codes = append(codes, duplicate)
	}
	a, class := r.values["EMAIL"], class(r.values["EVENT_CATEGORY_NAME"])
	if class == "" {
		codes = append(codes, unknown)
	}
	if codes != nil {
		return failed(codes...)
	}
	for other, entry := range e.entries {
		if n := r.values["REGISTRATION_NUMBER"]; other != a && n != "" && entry.values["REGISTRATION_NUMBER"] == n {
			return failed(exists)
		}
	}
	if p := e.people[a]; p != nil && fullName(p.values) != fullName(r.values) {
		return failed(ambiguous)
	} else if p == nil {
		e.people[a] = pick(r, "EMAIL", "FIRST_NAME", "LAST_NAME")
	}
	entry := pick(r, "EMAIL", "REGISTRATION_NUMBER", "CUSTOM_LIST_1")
	entry.values["EVENT_CATEGORY_NAME"] = class
	if value := entry.values["CUSTOM_LIST_1"]; value != "" {
		if e.lists[strings.ToLower(value)] == "" {
			e.lists[strings.ToLower(value)] = value
		}
		entry.values["CUSTOM_LIST_1"] = strings.ToLower(value)
	}
	if old := e.entries[a]; old != nil {
		if old.has(row{values: entry.values}) {
			return checker.Line{Outcome: job.Unchanged, Codes: []string{}}
		}
		old.take(row{values: entry.values})
		return checker.Line{Outcome: job.Updated, Codes: []string{}}
	}
	e.entries[a] = entry
	return checker.Line{Outcome: job.Created, Codes: []string{}}
}

func (e *entered) tables() []checker.Table {
	var people, entries, lists []*thing
	for _, p := range e.people {
		people = append(people, p)
	}
	for _, p := range e.entries {
		entries = append(entries, p)
	}
	for _, v := range e.lists {
		lists = append(lists, &thing{values: map[string]string{"VALUE": v}})
	}
	return []checker.Table{
		content("persons", `SELECT concat_ws('|', email, first_name, last_name) FROM persons WHERE organisation_id = $1`, people, "EMAIL", "FIRST_NAME", "LAST_NAME"),
		content("participants", `SELECT concat_ws('|', p.email, c.name, coalesce(e.registration_number, ''), coalesce(lower(v.value), ''))
			FROM event_participants AS e JOIN persons AS p ON p.id = e.person_id JOIN event_categories AS c ON c.id = e.category_id
			LEFT JOIN custom_list_values AS v ON v.id = e.custom1_id WHERE e.organisation_id = $1`, entries, "EMAIL", "EVENT_CATEGORY_NAME", "REGISTRATION_NUMBER", "CUSTOM_LIST_1"),
		content("values of the custom list", `SELECT value FROM custom_list_values WHERE organisation_id = $1`, lists, "VALUE"),
	}
}

func results() *kind {
	return &kind{
		name: "RESULT", modes: []job.WriteMode{job.Upsert}, whole: true, inContext: true,
		columns: []columnKind{
			{field: "EVENT_CATEGORY_NAME", headers: []string{"Category", "Event category"}, required: true, cell: categoryCell},
			{field: "SEQUENCE", headers: []string{"Sequence", "Seq no"}, required: true, cell: func(g *generator, n int) Cell {
				return counted(1)(g, n)
			}},
			{field: "PARTICIPANT_ID", headers: []string{"Participant id", "EPID"}, required: true, cell: func(g *generator, _ int) Cell {
				return fixed("G%d")(g, g.IntN(existing+1)) // one of them does not take part
			}},
			{field: "STATUS", headers: []string{"Status"}, optional: true, cell: func(g *generator, _ int) Cell {
				if g.chance(8) {
					return Cell{Raw: "hors", Code: "CELL_ENUM"}
				}
				v := one(g, "FINISHED", "DNF", "DSQ")
				return Cell{Raw: one(g, v, strings.ToLower(v)), Value: v}
			}},
		},
		listed: classNames, numbered: classNumbers,
		model: func(*Import) model { return newArrived() },
	}
}

// arrived is the model of an event's results.
type arrived struct {
	results map[string]*thing // by category and sequence
	taken   map[string]bool
	refused map[int64]bool
	freed   bool // the file gives the place of the result that there was to another participant
}

func newArrived() *arrived {
	return &arrived{
		results: map[string]*thing{"Elite|2": {values: map[string]string{"CATEGORY": "Elite", "SEQUENCE": "2", "WHO": "G0", "STATUS": "DNS"}}},
		taken:   make(map[string]bool), refused: make(map[int64]bool),
	}
}

func (a *arrived) prepare() []string {
	return append(event(), `INSERT INTO results (organisation_id, event_id, category_id, sequence, participant_id, status)
		VALUES ($1, $1 * 100 + 1, $1 * 100 + 1, 2, $1 * 100 + 1, 'DNS')`)
}

func (a *arrived) look(number int64, r row) {
	class := strings.ToLower(r.values["EVENT_CATEGORY_NAME"])
	sequence, who := class+"|s|"+r.values["SEQUENCE"], class+"|p|"+r.values["PARTICIPANT_ID"]
	if a.taken[sequence] || a.taken[who] {
		a.refused[number] = true
		return
	}
	a.taken[sequence], a.taken[who] = true, true
	if who := r.values["PARTICIPANT_ID"]; sequence == "elite|s|2" && who != "G0" && who != nobody {
		a.freed = true
	}
}

// nobody does not take part.
var nobody = fmt.Sprintf("G%d", existing)

func (a *arrived) apply(number int64, r row) checker.Line {
	class, who := class(r.values["EVENT_CATEGORY_NAME"]), r.values["PARTICIPANT_ID"]
	switch {
	case class == "":
		return failed(unknown)
	case a.refused[number]:
		return failed(duplicate)
	case who == nobody:
		return failed(unknown)
	case class == "Elite" && who == "G0" && r.values["SEQUENCE"] != "2" && !a.freed:
		return failed(exists) // who would have two places
	}
	t := pick(r, "SEQUENCE", "STATUS")
	t.values["CATEGORY"], t.values["WHO"] = class, who
	if old := a.results[class+"|"+t.values["SEQUENCE"]]; old != nil && t.values["STATUS"] == "" {
		t.values["STATUS"] = old.values["STATUS"]
	}
	if t.values["STATUS"] == "" {
		t.values["STATUS"] = "FINISHED"
	}
	if t.values["STATUS"] == "FINISHED" {
		t.values["POSITION"] = t.values["SEQUENCE"]
	}
	line := checker.Line{Outcome: job.Created, Codes: []string{}}
	if a.results[class+"|"+t.values["SEQUENCE"]] != nil {
		line.Outcome = job.Updated
	}
	a.results[class+"|"+t.values["SEQUENCE"]] = t
	return line
}

func (a *arrived) tables() []checker.Table {
	var things []*thing
	for _, t := range a.results {
		things = append(things, t)
	}
	return []checker.Table{content("results", `SELECT concat_ws('|', c.name, r.sequence, e.registration_number, coalesce(r.position::text, ''), r.status)
		FROM results AS r JOIN event_categories AS c ON c.id = r.category_id JOIN event_participants AS e ON e.id = r.participant_id WHERE r.organisation_id = $1`,
		things, "CATEGORY", "SEQUENCE", "WHO", "POSITION", "STATUS")}
}
