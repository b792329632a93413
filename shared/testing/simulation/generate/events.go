package generate

import (
	"fmt"
	"maps"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// unknownCategory is a category that does not exist in the event.
const unknownCategory = "Masters"

// categoryTexts are the names of categories in files, and categoriesByNumber the choices of a
// person.
var (
	categoryTexts      = map[string]map[string]string{"EVENT_CATEGORY_NAME": {"elite": "Elite", "junior": "Junior"}}
	categoriesByNumber = map[int64]string{1: "Elite", 2: "Junior"}
)

// categoryNames are the categories of the event by number.
var categoryNames = [...]string{"Elite", "Junior"}

func categoryCell(g *generator, _ int) Cell {
	return g.textCell("Elite", "ELITE", "junior", "Junior", "Elite", unknownCategory)
}

func eventSQL() []string {
	setup := []string{`INSERT INTO events (id, organisation_id, name) VALUES ($1 * 100 + 1, $1, 'Race')`}
	for i, name := range categoryNames {
		setup = append(setup, fmt.Sprintf(`INSERT INTO event_categories (id, organisation_id, event_id, name) VALUES ($1 * 100 + %d, $1, $1 * 100 + 1, '%s')`, i+1, name))
	}
	for n := range existing {
		setup = append(setup,
			fmt.Sprintf(`INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email) VALUES ($1, 'email:%[1]s', 'Old', '%[2]d', '%[1]s')`, emailAddress(n), n),
			fmt.Sprintf(`INSERT INTO event_participants (id, organisation_id, event_id, person_id, category_id, registration_number)
				SELECT $1 * 100 + %d, $1, $1 * 100 + 1, id, $1 * 100 + 1, 'G%d' FROM persons WHERE organisation_id = $1 AND email = '%s'`, n+1, n, emailAddress(n)))
	}
	return setup
}

// categoryName returns the event's spelling of a category, or "".
func categoryName(name string) string {
	for _, c := range categoryNames {
		if strings.EqualFold(c, name) {
			return c
		}
	}
	return ""
}

func participants() *importType {
	return &importType{
		name: "EVENT_PARTICIPANT", modes: []job.WriteMode{job.Upsert}, wholeFile: true, inContext: true, needsEmail: true,
		columns: []columnKind{
			{field: "EMAIL", headers: []string{"Email", "E-mail"}, cell: emailCell},
			{field: "FIRST_NAME", headers: []string{"First name"}, required: true, cell: firstNameCell},
			{field: "LAST_NAME", headers: []string{"Last name", "Surname"}, required: true, cell: lastNameCell},
			{field: "EVENT_CATEGORY_NAME", headers: []string{"Category", "Event category"}, required: true, cell: categoryCell},
			{field: "REGISTRATION_NUMBER", headers: []string{"Registration number", "Reg no"}, optional: true, cell: func(g *generator, n int) Cell {
				if g.chance(8) {
					n = g.IntN(existing)
				}
				return identityCell("G%d")(g, n)
			}},
			{field: "CUSTOM_LIST_1", headers: []string{"Custom 1"}, optional: true, cell: func(g *generator, _ int) Cell { return g.textCell("Small", "Large", "LARGE") }},
		},
		listValues: categoryTexts, numbered: categoriesByNumber,
		model: func(*Import) model { return newParticipantsModel() },
	}
}

// participantsModel is the model of an event's participants.
type participantsModel struct {
	people   map[string]*modelEntity
	entries  map[string]*modelEntity // by email address
	lists    map[string]string       // values of the custom list by lower case
	seen     map[string]bool         // addresses with names
	numbers  map[string]bool
	rejected map[int64]bool
}

func newParticipantsModel() *participantsModel {
	e := &participantsModel{
		people: make(map[string]*modelEntity), entries: make(map[string]*modelEntity), lists: make(map[string]string),
		seen: make(map[string]bool), numbers: make(map[string]bool), rejected: make(map[int64]bool),
	}
	for n := range existing {
		a := emailAddress(n)
		e.people[a] = &modelEntity{values: map[string]string{"EMAIL": a, "FIRST_NAME": "Old", "LAST_NAME": fmt.Sprint(n)}}
		e.entries[a] = &modelEntity{values: map[string]string{"EMAIL": a, "EVENT_CATEGORY_NAME": "Elite", "REGISTRATION_NUMBER": fmt.Sprintf("G%d", n)}}
	}
	return e
}

func (e *participantsModel) setupSQL() []string { return eventSQL() }

func (e *participantsModel) existingValues(n int) map[string]string {
	values := maps.Clone(e.people[emailAddress(n)].values)
	maps.Copy(values, e.entries[emailAddress(n)].values)
	return values
}

func (e *participantsModel) scan(number int64, r row) {
	a, n := r.values["EMAIL"], r.values["REGISTRATION_NUMBER"]
	who := a + "|" + fullName(r.values)
	if e.seen[who] || e.numbers[n] {
		e.rejected[number] = true
		return
	}
	e.seen[who] = true
	if n != "" {
		e.numbers[n] = true
	}
}

func (e *participantsModel) beginRetry() {
	clear(e.seen)
	clear(e.numbers)
	clear(e.rejected)
}

func (e *participantsModel) apply(number int64, r row) checker.Line {
	var codes []string
	if e.rejected[number] {
		codes = append(codes, duplicate)
	}
	a, class := r.values["EMAIL"], categoryName(r.values["EVENT_CATEGORY_NAME"])
	if class == "" {
		codes = append(codes, unresolved)
	}
	if codes != nil {
		return erroredLine(codes...)
	}
	for other, entry := range e.entries {
		if n := r.values["REGISTRATION_NUMBER"]; other != a && n != "" && entry.values["REGISTRATION_NUMBER"] == n {
			return erroredLine(alreadyExists)
		}
	}
	if p := e.people[a]; p != nil && fullName(p.values) != fullName(r.values) {
		return erroredLine(ambiguous)
	} else if p == nil {
		e.people[a] = entityOf(r, "EMAIL", "FIRST_NAME", "LAST_NAME")
	}
	entry := entityOf(r, "EMAIL", "REGISTRATION_NUMBER", "CUSTOM_LIST_1")
	entry.values["EVENT_CATEGORY_NAME"] = class
	if value := entry.values["CUSTOM_LIST_1"]; value != "" {
		if e.lists[strings.ToLower(value)] == "" {
			e.lists[strings.ToLower(value)] = value
		}
		entry.values["CUSTOM_LIST_1"] = strings.ToLower(value)
	}
	if old := e.entries[a]; old != nil {
		if old.hasValues(row{values: entry.values}) {
			return checker.Line{Outcome: job.Unchanged, Codes: []string{}}
		}
		old.assign(row{values: entry.values})
		return checker.Line{Outcome: job.Updated, Codes: []string{}}
	}
	e.entries[a] = entry
	return checker.Line{Outcome: job.Created, Codes: []string{}}
}

func (e *participantsModel) tables() []checker.Table {
	var people, entries, lists []*modelEntity
	for _, p := range e.people {
		people = append(people, p)
	}
	for _, p := range e.entries {
		entries = append(entries, p)
	}
	for _, v := range e.lists {
		lists = append(lists, &modelEntity{values: map[string]string{"VALUE": v}})
	}
	return []checker.Table{
		content("persons", `SELECT concat_ws('|', email, first_name, last_name) FROM persons WHERE organisation_id = $1`, people, "EMAIL", "FIRST_NAME", "LAST_NAME"),
		content("participants", `SELECT concat_ws('|', p.email, c.name, coalesce(e.registration_number, ''), coalesce(lower(v.value), ''))
			FROM event_participants AS e JOIN persons AS p ON p.id = e.person_id JOIN event_categories AS c ON c.id = e.category_id
			LEFT JOIN custom_list_values AS v ON v.id = e.custom1_id WHERE e.organisation_id = $1`, entries, "EMAIL", "EVENT_CATEGORY_NAME", "REGISTRATION_NUMBER", "CUSTOM_LIST_1"),
		content("values of the custom list", `SELECT value FROM custom_list_values WHERE organisation_id = $1`, lists, "VALUE"),
	}
}

func results() *importType {
	return &importType{
		name: "RESULT", modes: []job.WriteMode{job.Upsert}, wholeFile: true, inContext: true,
		columns: []columnKind{
			{field: "EVENT_CATEGORY_NAME", headers: []string{"Category", "Event category"}, required: true, cell: categoryCell},
			{field: "SEQUENCE", headers: []string{"Sequence", "Seq no"}, required: true, cell: func(g *generator, n int) Cell {
				return countCell(1)(g, n)
			}},
			{field: "PARTICIPANT_ID", headers: []string{"Participant id", "EPID"}, required: true, cell: func(g *generator, _ int) Cell {
				return identityCell("G%d")(g, g.IntN(existing+1)) // one of them is not a participant
			}},
			{field: "STATUS", headers: []string{"Status"}, optional: true, cell: func(g *generator, _ int) Cell {
				if g.chance(8) {
					return Cell{Raw: "hors", Code: "CELL_ENUM"}
				}
				v := pickOne(g, "FINISHED", "DNF", "DSQ")
				return Cell{Raw: pickOne(g, v, strings.ToLower(v)), Value: v}
			}},
		},
		listValues: categoryTexts, numbered: categoriesByNumber,
		model: func(*Import) model { return newResultsModel() },
	}
}

// resultsModel is the model of an event's results.
type resultsModel struct {
	results         map[string]*modelEntity // by category and sequence
	taken           map[string]bool
	rejected        map[int64]bool
	placeReassigned bool // the file assigns the place of the existing result to another participant
}

func newResultsModel() *resultsModel {
	return &resultsModel{
		results: map[string]*modelEntity{"Elite|2": {values: map[string]string{"CATEGORY": "Elite", "SEQUENCE": "2", "WHO": "G0", "STATUS": "DNS"}}},
		taken:   make(map[string]bool), rejected: make(map[int64]bool),
	}
}

func (a *resultsModel) setupSQL() []string {
	return append(eventSQL(), `INSERT INTO results (organisation_id, event_id, category_id, sequence, participant_id, status)
		VALUES ($1, $1 * 100 + 1, $1 * 100 + 1, 2, $1 * 100 + 1, 'DNS')`)
}

func (a *resultsModel) scan(number int64, r row) {
	class := strings.ToLower(r.values["EVENT_CATEGORY_NAME"])
	sequence, who := class+"|s|"+r.values["SEQUENCE"], class+"|p|"+r.values["PARTICIPANT_ID"]
	if a.taken[sequence] || a.taken[who] {
		a.rejected[number] = true
		return
	}
	a.taken[sequence], a.taken[who] = true, true
	if who := r.values["PARTICIPANT_ID"]; sequence == "elite|s|2" && who != "G0" && who != unknownParticipant {
		a.placeReassigned = true
	}
}

// unknownParticipant does not participate.
var unknownParticipant = fmt.Sprintf("G%d", existing)

func (a *resultsModel) apply(number int64, r row) checker.Line {
	class, who := categoryName(r.values["EVENT_CATEGORY_NAME"]), r.values["PARTICIPANT_ID"]
	switch {
	case class == "":
		return erroredLine(unresolved)
	case a.rejected[number]:
		return erroredLine(duplicate)
	case who == unknownParticipant:
		return erroredLine(unresolved)
	case class == "Elite" && who == "G0" && r.values["SEQUENCE"] != "2" && !a.placeReassigned:
		return erroredLine(alreadyExists) // the participant would have two places
	}
	t := entityOf(r, "SEQUENCE", "STATUS")
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

func (a *resultsModel) tables() []checker.Table {
	var things []*modelEntity
	for _, t := range a.results {
		things = append(things, t)
	}
	return []checker.Table{content("results", `SELECT concat_ws('|', c.name, r.sequence, e.registration_number, coalesce(r.position::text, ''), r.status)
		FROM results AS r JOIN event_categories AS c ON c.id = r.category_id JOIN event_participants AS e ON e.id = r.participant_id WHERE r.organisation_id = $1`,
		things, "CATEGORY", "SEQUENCE", "WHO", "POSITION", "STATUS")}
}
