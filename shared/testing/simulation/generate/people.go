package generate

import (
	"fmt"
	"maps"
	"strings"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

func bothModes() []rowwrite.Mode { return []rowwrite.Mode{rowwrite.Insert, rowwrite.Upsert} }

func emailAddress(n int) string { return fmt.Sprintf("p%d@example.org", n) }

func emailCell(g *generator, n int) Cell {
	if g.chance(4) {
		return Cell{Raw: pickOne(g, "nobody", "a@", "@b.org", "a b@example.org"), Code: "CELL_EMAIL"}
	}
	return Cell{Raw: pickOne(g, emailAddress(n), strings.ToUpper(emailAddress(n))), Value: emailAddress(n)}
}

// nameCell returns a cell with a nearly unique text.
func nameCell(g *generator, n int) Cell {
	if g.chance(30) {
		return g.awkwardText()
	}
	t := fmt.Sprintf("N%d-%d", n, g.IntN(1000))
	return Cell{Raw: t, Value: t}
}

// firstNameCell and lastNameCell return the name of the person for most rows about that person.
func firstNameCell(g *generator, n int) Cell {
	if g.chance(10) {
		return nameCell(g, n)
	}
	t := pickOne(g, "Old", "OLD", "Old")
	return Cell{Raw: t, Value: t}
}

func lastNameCell(g *generator, n int) Cell {
	if g.chance(5) {
		return nameCell(g, n)
	}
	return Cell{Raw: fmt.Sprint(n), Value: fmt.Sprint(n)}
}

// fullName returns a person's name for comparison.
func fullName(values map[string]string) string {
	return strings.ToLower(strings.Join(strings.Fields(values["FIRST_NAME"]+" "+values["LAST_NAME"]), " "))
}

func boolCell(g *generator, _ int) Cell {
	if g.chance(10) {
		return Cell{Raw: "maybe", Code: "CELL_BOOLEAN"}
	}
	if g.chance(50) {
		return Cell{Raw: pickOne(g, "yes", "TRUE", "y", "ja", "x"), Value: "true"}
	}
	return Cell{Raw: pickOne(g, "no", "False", "nein"), Value: "false"}
}

func users() *importType {
	return &importType{
		name: "USER", modes: bothModes(),
		columns: []columnKind{
			{field: "EMAIL", headers: []string{"Email", "E-mail", "email_address", "MAIL"}, required: true, cell: emailCell},
			{field: "NAME", headers: []string{"Name", "Full name", "display name"}, required: true, cell: nameCell},
			{field: "ROLE", headers: []string{"Role", "user_role"}, optional: true, cell: func(g *generator, _ int) Cell {
				if g.chance(4) {
					return Cell{Raw: strings.Repeat("é", 51), Code: "CELL_TOO_LONG"}
				}
				return g.textCell("admin", "editor", "viewer")
			}},
			{field: "ACTIVE", headers: []string{"Active", "Is active"}, optional: true, cell: boolCell},
			{field: "ID", headers: []string{"Id", "User ID"}, optional: true, filled: true, cell: func(g *generator, n int) Cell {
				return uuidCell(g, 1, n)
			}},
		},
		model: func(m *Import) model {
			t := &tableModel{mode: m.Mode, keys: []string{"ID", "EMAIL"}, defaults: map[string]string{"ROLE": "user", "ACTIVE": "true"}}
			for n := range existing {
				t.entities = append(t.entities, &modelEntity{values: map[string]string{
					"ID": uuidOf(1, n), "EMAIL": emailAddress(n), "NAME": fmt.Sprintf("Old %d", n), "ROLE": "user", "ACTIVE": "true",
				}})
				t.setupStatements = append(t.setupStatements, fmt.Sprintf(`INSERT INTO users (organisation_id, id, email, name) VALUES ($1, '%s', '%s', 'Old %d')`, uuidOf(1, n), emailAddress(n), n))
			}
			t.check = func(things []*modelEntity) []checker.Table {
				return []checker.Table{content("users", `SELECT `+idSQL+` || '|' || email || '|' || name || '|' || role || '|' || active FROM users WHERE organisation_id = $1`,
					things, "ID", "EMAIL", "NAME", "ROLE", "ACTIVE")}
			}
			return t
		},
	}
}

// membershipTypes are the membership types of the organisation by number.
var membershipTypes = [...]string{"Senior", "Junior", "Student"}

func memberships() *importType {
	countries := map[string]string{"za": "ZA", "zaf": "ZA", "south africa": "ZA", "nor": "NO", "norway": "NO", "de": "DE"}
	known, numbered := make(map[string]string), make(map[int64]string)
	for i, name := range membershipTypes {
		known[strings.ToLower(name)], numbered[int64(i+1)] = name, name
	}
	return &importType{
		name: "MEMBERSHIP", modes: bothModes(), inContext: true, needsEmail: true,
		references: map[string]map[string]string{"MEMBERSHIP_TYPE_ID": known, "ID_COUNTRY": countries}, numbered: numbered,
		columns: []columnKind{
			{field: "EMAIL", headers: []string{"Email", "E-mail"}, cell: emailCell},
			{field: "FIRST_NAME", headers: []string{"First name", "Given name", "Vorname"}, required: true, cell: firstNameCell},
			{field: "LAST_NAME", headers: []string{"Last name", "Surname"}, required: true, cell: lastNameCell},
			{field: "MEMBERSHIP_TYPE_ID", headers: []string{"Membership type", "Type"}, required: true, cell: func(g *generator, _ int) Cell {
				if g.chance(15) {
					return g.textCell(unknownValues[:]...)
				}
				return g.textCell("Senior", "JUNIOR", "student")
			}},
			{field: "ID_COUNTRY", headers: []string{"Country", "Nation"}, optional: true, cell: func(g *generator, _ int) Cell {
				return g.textCell("ZA", "zaf", "Norway", "de")
			}},
			{field: "MEMBERSHIP_NUMBER", headers: []string{"Membership number", "Member no"}, optional: true, cell: func(g *generator, n int) Cell {
				return g.textCell(fmt.Sprintf("M%d-%d", n, g.IntN(1000)))
			}},
			{field: "JOINED_ON", headers: []string{"Joined on", "Member since"}, optional: true, dates: true},
		},
		model: func(m *Import) model { return newMembershipsModel(m) },
	}
}

// membershipsModel is the model of memberships.
type membershipsModel struct {
	mode      rowwrite.Mode
	people    map[string]*modelEntity
	members   map[string]*modelEntity
	rows      map[string][]int64 // by email address
	keyCounts keyCounts
}

// personKeys are the fields that identify people. A row with an invalid one is not processed
// further.
func personKeys() []string { return []string{"EMAIL", "FIRST_NAME", "LAST_NAME"} }

func (m *membershipsModel) countKeys(r row) { m.keyCounts.count(r, []string{"EMAIL"}, personKeys()) }

func (m *membershipsModel) existingValues(n int) map[string]string {
	values := maps.Clone(m.people[emailAddress(n)].values)
	if held := m.members[emailAddress(n)]; held != nil {
		maps.Copy(values, held.values)
	} else {
		values["MEMBERSHIP_TYPE_ID"] = membershipTypes[0]
	}
	return values
}

func newMembershipsModel(m *Import) *membershipsModel {
	out := &membershipsModel{mode: m.Mode, people: make(map[string]*modelEntity), members: make(map[string]*modelEntity), rows: make(map[string][]int64)}
	for n := range existing {
		a := emailAddress(n)
		out.people[a] = &modelEntity{values: map[string]string{"EMAIL": a, "FIRST_NAME": "Old", "LAST_NAME": fmt.Sprint(n), "ID_COUNTRY": "ZA"}}
		if n%2 == 0 {
			out.members[a] = &modelEntity{values: map[string]string{"EMAIL": a, "MEMBERSHIP_TYPE_ID": "Senior", "MEMBERSHIP_NUMBER": "OLD"}}
		}
	}
	return out
}

func (m *membershipsModel) setupSQL() []string {
	setup := []string{`INSERT INTO membership_periods (id, organisation_id, name, starts_on, ends_on) VALUES ($1 * 100 + 1, $1, '2026', '2026-01-01', '2026-12-31')`}
	for i, name := range membershipTypes {
		setup = append(setup, fmt.Sprintf(`INSERT INTO membership_types (id, organisation_id, name) VALUES ($1 * 100 + %d, $1, '%s')`, i+1, name))
	}
	for a, p := range m.people {
		setup = append(setup, fmt.Sprintf(`INSERT INTO persons (organisation_id, identity_key, first_name, last_name, email, country_id)
			SELECT $1, 'email:%s', '%s', '%s', '%s', id FROM countries WHERE code = 'ZA'`, a, p.values["FIRST_NAME"], p.values["LAST_NAME"], a))
		if m.members[a] != nil {
			setup = append(setup, fmt.Sprintf(`INSERT INTO memberships (organisation_id, person_id, period_id, type_id, membership_number)
				SELECT $1, id, $1 * 100 + 1, $1 * 100 + 1, 'OLD' FROM persons WHERE organisation_id = $1 AND email = '%s'`, a))
		}
	}
	return setup
}

func (m *membershipsModel) apply(number int64, r row) checker.Line {
	a := r.values["EMAIL"]
	held := m.members[a]
	m.rows[a] = append(m.rows[a], number)
	switch p := m.people[a]; {
	case p != nil && fullName(p.values) != fullName(r.values):
		return erroredLine(ambiguous)
	case held != nil && held.created:
		return erroredLine(duplicate)
	case held != nil && m.mode == rowwrite.Insert:
		return checker.Line{Outcome: rowwrite.Skipped, Codes: []string{alreadyExists}}
	}
	if p := m.people[a]; m.mode == rowwrite.Upsert && p != nil && held != nil && m.keyCounts.isOnlyRow(r, []string{"EMAIL"}) &&
		p.hasValues(row{values: entityOf(r, "FIRST_NAME", "LAST_NAME", "ID_COUNTRY").values}) && held.hasValues(row{values: entityOf(r, "MEMBERSHIP_TYPE_ID", "MEMBERSHIP_NUMBER", "JOINED_ON").values}) {
		return checker.Line{Outcome: rowwrite.Unchanged, Codes: []string{}}
	}
	if p := m.people[a]; p == nil {
		m.people[a] = entityOf(r, "EMAIL", "FIRST_NAME", "LAST_NAME", "ID_COUNTRY")
	} else if m.mode == rowwrite.Upsert {
		p.assign(row{values: entityOf(r, "FIRST_NAME", "LAST_NAME", "ID_COUNTRY").values})
	}
	line := checker.Line{Outcome: rowwrite.Created}
	member := entityOf(r, "EMAIL", "MEMBERSHIP_TYPE_ID", "MEMBERSHIP_NUMBER", "JOINED_ON")
	if held != nil {
		line.Outcome = rowwrite.Updated
		held.assign(row{values: member.values})
		member = held
	}
	member.created = true
	m.members[a] = member
	return line
}

func (m *membershipsModel) beginRetry() {
	clear(m.rows)
	m.keyCounts.mixedKeys = true
	for _, held := range m.members {
		held.created = false
	}
}

// relax: a row is refused because of the name in the row that it displaces. If a new person has
// three or more rows, that need not be the first one.
func (m *membershipsModel) relax(lines []checker.Line) {
	for _, rows := range m.rows {
		for _, n := range rows {
			if len(rows) > 2 && lines[n-1].Outcome == rowwrite.Errored {
				lines[n-1].Codes = nil
			}
		}
	}
}

func entityOf(r row, fields ...string) *modelEntity {
	t := &modelEntity{values: make(map[string]string)}
	for _, field := range fields {
		t.values[field] = r.values[field]
	}
	return t
}

func (m *membershipsModel) tables() []checker.Table {
	var people, memberships []*modelEntity
	for _, p := range m.people {
		people = append(people, p)
	}
	for _, p := range m.members {
		memberships = append(memberships, p)
	}
	return []checker.Table{
		content("persons", `SELECT concat_ws('|', p.email, p.first_name, p.last_name, coalesce(c.code, ''))
			FROM persons AS p LEFT JOIN countries AS c ON c.id = p.country_id WHERE p.organisation_id = $1`, people, "EMAIL", "FIRST_NAME", "LAST_NAME", "ID_COUNTRY"),
		content("memberships", `SELECT concat_ws('|', p.email, t.name, coalesce(m.membership_number, ''), coalesce(m.joined_on::text, ''))
			FROM memberships AS m JOIN persons AS p ON (p.organisation_id, p.id) = (m.organisation_id, m.person_id) JOIN membership_types AS t ON (t.organisation_id, t.id) = (m.organisation_id, m.type_id) WHERE m.organisation_id = $1`,
			memberships, "EMAIL", "MEMBERSHIP_TYPE_ID", "MEMBERSHIP_NUMBER", "JOINED_ON"),
	}
}
