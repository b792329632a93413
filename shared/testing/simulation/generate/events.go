package generate

import (
	"fmt"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"maps"
	"slices"
	"strconv"
	"strings"

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
		name: "EVENT_PARTICIPANT", modes: []rowwrite.Mode{rowwrite.Upsert}, wholeFile: true, inContext: true, needsEmail: true,
		columns: []columnKind{
			{field: "EMAIL", headers: []string{"Email", "E-mail"}, cell: emailCell},
			{field: "FIRST_NAME", headers: []string{"First name"}, required: true, cell: func(g *generator, _ int) Cell {
				return g.textCell("Old", "OLD", "Old", "Old", "Quirin") // a relative with the same address
			}},
			{field: "LAST_NAME", headers: []string{"Last name", "Surname"}, required: true, cell: func(_ *generator, n int) Cell {
				return Cell{Raw: fmt.Sprint(n), Value: fmt.Sprint(n)}
			}},
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
		model: func(m *Import) model { return newParticipantsModel(!m.AutoStart && !m.SkipMapping) },
	}
}

// participantsModel is the model of an event's participants. Relatives have an address and a last
// name in common, and no resembling first names.
type participantsModel struct {
	people   map[string]*modelEntity // by address and name
	entries  map[string]*modelEntity // by address and name
	lists    map[string]string       // values of the custom list by lower case
	seen     map[string]bool         // addresses with names
	numbers  map[string]bool
	rejected map[int64]bool
	asks     bool // a person says that an unclear row is about somebody new
}

func newParticipantsModel(asks bool) *participantsModel {
	e := &participantsModel{
		asks:   asks,
		people: make(map[string]*modelEntity), entries: make(map[string]*modelEntity), lists: make(map[string]string),
		seen: make(map[string]bool), numbers: make(map[string]bool), rejected: make(map[int64]bool),
	}
	for n := range existing {
		a := emailAddress(n)
		p := &modelEntity{values: map[string]string{"EMAIL": a, "FIRST_NAME": "Old", "LAST_NAME": fmt.Sprint(n)}}
		e.people[personOf(p.values)] = p
		e.entries[personOf(p.values)] = &modelEntity{values: map[string]string{"EMAIL": a, "EVENT_CATEGORY_NAME": "Elite", "REGISTRATION_NUMBER": fmt.Sprintf("G%d", n)}}
	}
	return e
}

func (e *participantsModel) setupSQL() []string { return eventSQL() }

func (e *participantsModel) existingValues(n int) map[string]string {
	who := personOf(map[string]string{"EMAIL": emailAddress(n), "FIRST_NAME": "Old", "LAST_NAME": fmt.Sprint(n)})
	values := maps.Clone(e.people[who].values)
	maps.Copy(values, e.entries[who].values)
	return values
}

// personOf returns the address and the name.
func personOf(values map[string]string) string { return values["EMAIL"] + "|" + fullName(values) }

func (e *participantsModel) scan(number int64, r row) {
	n, who := r.values["REGISTRATION_NUMBER"], personOf(r.values)
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
	e.asks = false
}

func (e *participantsModel) apply(number int64, r row) checker.Line {
	var codes []string
	if e.rejected[number] {
		codes = append(codes, duplicate)
	}
	who, class := personOf(r.values), categoryName(r.values["EVENT_CATEGORY_NAME"])
	if class == "" {
		codes = append(codes, unresolved)
	}
	if codes != nil {
		return erroredLine(codes...)
	}
	for other, entry := range e.entries {
		if n := r.values["REGISTRATION_NUMBER"]; other != who && n != "" && entry.values["REGISTRATION_NUMBER"] == n {
			return erroredLine(alreadyExists)
		}
	}
	line := checker.Line{Outcome: rowwrite.Unchanged, Codes: []string{}}
	if p := e.people[who]; p == nil {
		if !e.asks && e.hasRelative(r.values) {
			line.Codes = append(line.Codes, ambiguous)
		}
		e.people[who] = entityOf(r, "EMAIL", "FIRST_NAME", "LAST_NAME")
	} else if written := entityOf(r, "FIRST_NAME", "LAST_NAME"); !p.hasValues(row{values: written.values}) {
		p.assign(row{values: written.values})
		line.Outcome = rowwrite.Updated
	}
	entry := entityOf(r, "EMAIL", "REGISTRATION_NUMBER", "CUSTOM_LIST_1")
	entry.values["EVENT_CATEGORY_NAME"] = class
	if value := entry.values["CUSTOM_LIST_1"]; value != "" {
		if e.lists[strings.ToLower(value)] == "" {
			e.lists[strings.ToLower(value)] = value
		}
		entry.values["CUSTOM_LIST_1"] = strings.ToLower(value)
	}
	if old := e.entries[who]; old == nil {
		e.entries[who] = entry
		line.Outcome = rowwrite.Created
	} else if !old.hasValues(row{values: entry.values}) {
		old.assign(row{values: entry.values})
		line.Outcome = rowwrite.Updated
	}
	return line
}

// hasRelative reports whether somebody without a row in the file has the same address.
func (e *participantsModel) hasRelative(values map[string]string) bool {
	for who, p := range e.people {
		if p.values["EMAIL"] == values["EMAIL"] && !e.seen[who] {
			return true
		}
	}
	return false
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
			FROM event_participants AS e JOIN persons AS p ON (p.organisation_id, p.id) = (e.organisation_id, e.person_id) JOIN event_categories AS c ON (c.organisation_id, c.id) = (e.organisation_id, e.category_id)
			LEFT JOIN custom_list_values AS v ON (v.organisation_id, v.id) = (e.organisation_id, e.custom1_id) WHERE e.organisation_id = $1`, entries, "EMAIL", "EVENT_CATEGORY_NAME", "REGISTRATION_NUMBER", "CUSTOM_LIST_1"),
		content("values of the custom list", `SELECT value FROM custom_list_values WHERE organisation_id = $1`, lists, "VALUE"),
	}
}

func results() *importType {
	return &importType{
		name: "RESULT", modes: []rowwrite.Mode{rowwrite.Upsert}, wholeFile: true, inContext: true,
		columns: []columnKind{
			{field: "EVENT_CATEGORY_NAME", headers: []string{"Category", "Event category"}, required: true, cell: categoryCell},
			{field: "SEQUENCE", headers: []string{"Sequence", "Seq no"}, required: true, cell: func(g *generator, n int) Cell {
				return countCell(1)(g, n)
			}},
			{field: "PARTICIPANT_ID", headers: []string{"Participant id", "REGID"}, required: true, cell: func(g *generator, _ int) Cell {
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
	results map[string]*modelEntity // by category and sequence
	// Of the file, by category in lower case:
	rowsOf   map[string]map[string]int // number of rows of each participant
	takenBy  map[string]map[int]int64  // rows by sequence
	highest  map[string]int            // sequence
	accepted map[string]map[string]bool
	rows     []resultRow
}

// resultRow is a valid row of a result list.
type resultRow struct {
	number     int64
	class, who string
	sequence   int
}

func newResultsModel() *resultsModel {
	return &resultsModel{
		results: map[string]*modelEntity{"Elite|2": {values: map[string]string{"CATEGORY": "Elite", "SEQUENCE": "2", "WHO": "G0", "STATUS": "DNS"}}},
		rowsOf:  make(map[string]map[string]int), takenBy: make(map[string]map[int]int64), highest: make(map[string]int),
	}
}

func (a *resultsModel) setupSQL() []string {
	return append(eventSQL(), `INSERT INTO results (organisation_id, event_id, category_id, sequence, participant_id, status)
		VALUES ($1, $1 * 100 + 1, $1 * 100 + 1, 2, $1 * 100 + 1, 'DNS')`)
}

func (a *resultsModel) scan(number int64, r row) {
	l := resultRow{number: number, class: strings.ToLower(r.values["EVENT_CATEGORY_NAME"]), who: r.values["PARTICIPANT_ID"]}
	l.sequence, _ = strconv.Atoi(r.values["SEQUENCE"])
	if a.rowsOf[l.class] == nil {
		a.rowsOf[l.class] = make(map[string]int)
	}
	a.rowsOf[l.class][l.who]++
	a.highest[l.class] = max(a.highest[l.class], l.sequence)
	a.rows = append(a.rows, l)
}

// unknownParticipant does not participate.
var unknownParticipant = fmt.Sprintf("G%d", existing)

// settle decides, once all rows are known, which of them are about a participant of their own and
// which have a sequence of their own.
func (a *resultsModel) settle() {
	if a.accepted != nil {
		return
	}
	a.accepted = make(map[string]map[string]bool)
	for _, l := range a.rows {
		if a.accepted[l.class] == nil {
			a.accepted[l.class], a.takenBy[l.class] = make(map[string]bool), make(map[int]int64)
		}
		if a.rowsOf[l.class][l.who] > 1 || a.takenBy[l.class][l.sequence] != 0 {
			continue
		}
		a.takenBy[l.class][l.sequence] = l.number
		a.accepted[l.class][l.who] = l.who != unknownParticipant
	}
}

func (a *resultsModel) apply(number int64, r row) checker.Line {
	a.settle()
	class, who := categoryName(r.values["EVENT_CATEGORY_NAME"]), r.values["PARTICIPANT_ID"]
	group := strings.ToLower(class)
	sequence, _ := strconv.Atoi(r.values["SEQUENCE"])
	switch {
	case class == "":
		return erroredLine(unresolved)
	case a.rowsOf[group][who] > 1, a.takenBy[group][sequence] != number:
		return erroredLine(duplicate)
	case who == unknownParticipant:
		return erroredLine(unresolved)
	}
	place := class + "|" + r.values["SEQUENCE"]
	line := checker.Line{Outcome: rowwrite.Created, Codes: []string{}}
	t := entityOf(r, "SEQUENCE", "STATUS")
	t.values["CATEGORY"], t.values["WHO"] = class, who
	if place == "Elite|2" { // the result from before the file was here
		line.Outcome = rowwrite.Updated
		if who != "G0" && !a.accepted[group]["G0"] {
			line.Codes = append(line.Codes, resultMoved)
		}
	}
	if class == "Elite" && who == "G0" && t.values["STATUS"] == "" {
		t.values["STATUS"] = "DNS" // as before
		if place == "Elite|2" {
			line.Outcome = rowwrite.Unchanged
		}
	}
	if t.values["STATUS"] == "" {
		t.values["STATUS"] = "FINISHED"
	}
	a.leave(place, class, who)
	a.results[place] = t
	return line
}

// leave removes the participant's result from before the file, or moves the one of another
// participant to the end of the category.
func (a *resultsModel) leave(place, class, who string) {
	const before = "Elite|2"
	old := a.results[before]
	switch {
	case old == nil || old.values["WHO"] != "G0":
	case class == "Elite" && who == "G0":
		delete(a.results, before)
	case place == before && !a.accepted["elite"]["G0"]:
		end := strconv.Itoa(a.highest["elite"] + 1)
		old.values["SEQUENCE"] = end
		a.results["Elite|"+end] = old
	}
}

func (a *resultsModel) tables() []checker.Table {
	var things []*modelEntity
	for _, t := range a.results {
		things = append(things, t)
	}
	slices.SortFunc(things, func(x, y *modelEntity) int {
		m, _ := strconv.Atoi(x.values["SEQUENCE"])
		n, _ := strconv.Atoi(y.values["SEQUENCE"])
		return m - n
	})
	arrived := make(map[string]int)
	for _, t := range things {
		t.values["POSITION"] = ""
		if class := t.values["CATEGORY"]; t.values["STATUS"] == "FINISHED" {
			arrived[class]++
			t.values["POSITION"] = strconv.Itoa(arrived[class])
		}
	}
	return []checker.Table{content("results", `SELECT concat_ws('|', c.name, r.sequence, e.registration_number, coalesce(r.position::text, ''), r.status)
		FROM results AS r JOIN event_categories AS c ON (c.organisation_id, c.id) = (r.organisation_id, r.category_id) JOIN event_participants AS e ON (e.organisation_id, e.id) = (r.organisation_id, r.participant_id) WHERE r.organisation_id = $1`,
		things, "CATEGORY", "SEQUENCE", "WHO", "POSITION", "STATUS")}
}
