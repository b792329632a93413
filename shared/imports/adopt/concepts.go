package adopt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/entity/declared"
	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/mapping/concept/conceptlist"
	"github.com/loadbay/loadbay/shared/mapping/content"
)

// draftConcepts names what fields mean, as far as their columns' comments, names, types and data leave
// no doubt. Without doubt means: one meaning, that no other field has.
func (d *drafter) draftConcepts() {
	if d.Concepts == nil {
		return
	}
	reader := mapping.NewInterpreter(d.Concepts, d.Declaration.Subjects)
	subjects := reader.Subjects()
	for _, subject := range d.Declaration.Subjects {
		subjects = append(subjects, words(subject)...)
	}
	slices.Sort(subjects)
	subjects = slices.Compact(subjects)
	fields := d.Declaration.Fields
	main, owners := make([]mapping.Meaning, len(fields)), make(map[mapping.Meaning][]string)
	for i := range fields {
		main[i] = d.meaning(reader, &fields[i], subjects)
	}
	d.dropUnlikely(main, subjects)
	for i := range fields {
		owners[main[i]] = append(owners[main[i]], fields[i].Column)
	}
	for i := range fields {
		if m := d.meaningOfData(fields[i].Column); main[i].Concept == "" && len(owners[m]) == 0 {
			main[i] = m
			owners[m] = append(owners[m], fields[i].Column)
		}
		if m := main[i]; m.Concept == "" {
			continue
		} else if columns := owners[m]; len(columns) > 1 {
			if columns[0] == fields[i].Column {
				d.find(false, fmt.Sprintf("fields[%d]", i), "Columns %s seem to mean the same (%s). Add concepts: [%s] to the field that headers with this meaning match.", strings.Join(columns, ", "), m, m)
			}
			continue
		}
		for _, m := range withRelated(main[i], subjects) {
			if others := owners[m]; len(others) == 0 || others[0] == fields[i].Column {
				fields[i].Concepts = append(fields[i].Concepts, m.String())
				owners[m] = []string{fields[i].Column}
			}
		}
	}
}

// meaning returns the only meaning of a field that its column allows; zero if there is none, or there
// are several. What its author wrote in a comment precedes the name.
func (d *drafter) meaning(reader *mapping.Interpreter, f *declared.Field, subjects []string) mapping.Meaning {
	c := d.Table.Column(f.Column)
	for _, text := range append(slices.Clone(f.Aliases), f.Column, f.Title) {
		var possible []mapping.Meaning
		for _, m := range reader.Meanings(text) {
			if m = ofSubject(m, subjects); d.fits(m, c, f.Reference != nil) {
				possible = append(possible, m)
			}
		}
		if m := likeliest(possible, subjects); m.Concept != "" {
			return m
		}
	}
	return mapping.Meaning{}
}

// likeliest returns the only one of the meanings, or the only one that is about the subject, or, of names,
// the name that the table is likely to hold; zero if that is not enough.
func likeliest(possible []mapping.Meaning, subjects []string) mapping.Meaning {
	about := slices.DeleteFunc(slices.Clone(possible), func(m mapping.Meaning) bool { return !slices.Contains(subjects, groupOf(m)) })
	switch {
	case len(possible) == 1:
		return possible[0]
	case len(about) == 1:
		return about[0]
	case slices.Contains(possible, nameOfRecord):
		return nameMeaning(subjects)
	}
	for _, m := range possible {
		if m.Role != "" && m.Concept == nameOfRecord.Concept {
			return mapping.Meaning{Role: m.Role, Concept: "party"}
		}
	}
	return mapping.Meaning{}
}

// ofSubject returns what a meaning is in a table about the subjects: "number" that of an order among
// orders, "body" that of a comment among comments.
func ofSubject(m mapping.Meaning, subjects []string) mapping.Meaning {
	of, _ := conceptlist.Find(m.Concept)
	for _, subject := range subjects {
		if number := subject + ".number"; m.Concept == "row.number" && conceptlist.Valid(number) {
			m.Concept = number
		}
		for _, related := range of.Related {
			if m.Role == "" && strings.HasPrefix(related, subject+".") && groupOf(m) != subject {
				m.Concept = related
			}
		}
	}
	return m
}

// common are groups of concepts that any table can contain.
var common = []string{"account", "address", "bank", "contact", "date", "item", "money", "org", "party", "person", "record"}

// dropUnlikely drops meanings that follow from one word and suit no other column of the table: "score"
// is that of a result only among results.
func (d *drafter) dropUnlikely(meanings []mapping.Meaning, subjects []string) {
	columns := make(map[string]int) // by group
	for _, m := range meanings {
		columns[groupOf(m)]++
	}
	for i, m := range meanings {
		group := groupOf(m)
		single := len(words(d.Declaration.Fields[i].Column)) == 1 && len(d.Declaration.Fields[i].Aliases) == 0
		if single && columns[group] == 1 && !slices.Contains(common, group) && !slices.Contains(subjects, group) {
			meanings[i] = mapping.Meaning{}
		}
	}
}

func groupOf(m mapping.Meaning) string {
	group, _, _ := strings.Cut(m.Concept, ".")
	return group
}

var (
	nameOfRecord = mapping.Meaning{Concept: "record.name"}
	nameOfPerson = mapping.Meaning{Concept: "person.fullName"}
)

// people are roles whose name is that of a person.
var people = []string{"author", "child", "coach", "doctor", "member", "participant", "partner", "person", "user"}

// nameMeaning returns what "name" means: that of a person, or of anything else.
func nameMeaning(subjects []string) mapping.Meaning {
	if slices.ContainsFunc(subjects, func(role string) bool { return slices.Contains(people, role) }) {
		return nameOfPerson
	}
	return nameOfRecord
}

// fits reports whether a column can hold values of a meaning, by its type and its data.
func (d *drafter) fits(m mapping.Meaning, c *pgtable.Column, reference bool) bool {
	of, _ := conceptlist.Find(m.Concept)
	if !conceptlist.Valid(m.String()) {
		return false
	}
	v := of.Values
	switch {
	case reference:
		return v != conceptlist.Flag && v != conceptlist.Date && v != conceptlist.Number
	case c.Base == "boolean":
		return v == conceptlist.Flag
	case c.Base == "date", strings.HasPrefix(c.Base, "timestamp"):
		return v == conceptlist.Date || v == conceptlist.Any
	case slices.Contains([]string{"smallint", "integer", "bigint", "numeric", "real", "double precision"}, c.Base):
		return v == conceptlist.Number || v == conceptlist.Any
	case !isText(c):
		return v == conceptlist.Text || v == conceptlist.Any
	}
	summary := d.Samples[c.Name]
	if summary == nil || summary.Filled < minSamples {
		return v != conceptlist.Flag && v != conceptlist.Number && v != conceptlist.Date
	}
	return v != conceptlist.Flag && (looks[v] == 0 || summary.ShareOf(looks[v]) >= minFitting)
}

// looks are the kinds of the values of concepts in columns of texts.
var looks = map[conceptlist.Values]content.Kind{
	conceptlist.Email: content.Email, conceptlist.Phone: content.Phone | content.Integer, conceptlist.Date: content.Date | content.Timestamp,
	conceptlist.Number: content.Integer | content.Decimal, conceptlist.URL: content.URL,
}

// minSamples is the minimum number of values that say something about a column. minFitting is the
// minimum share of values that look like those of a meaning, and minTelling the one that is a meaning by
// itself.
const (
	minSamples = 5
	minFitting = 0.5
	minTelling = 0.9
)

// meaningOfData returns what the values of a column mean by themselves: mail addresses, telephone
// numbers and countries do.
func (d *drafter) meaningOfData(column string) mapping.Meaning {
	s := d.Samples[column]
	if s == nil || s.Filled < minSamples {
		return mapping.Meaning{}
	}
	switch {
	case s.ShareOf(content.Email) >= minTelling:
		return mapping.Meaning{Concept: "contact.email"}
	case s.ShareOf(content.Phone) >= minTelling:
		return mapping.Meaning{Concept: "contact.phone"}
	case s.ShareOf(content.Country) >= minTelling:
		return mapping.Meaning{Concept: "address.country"}
	}
	return mapping.Meaning{}
}

// withRelated returns a meaning with those whose headers mean the same field if no other field has them.
func withRelated(m mapping.Meaning, subjects []string) []mapping.Meaning {
	all := []mapping.Meaning{m}
	of, _ := conceptlist.Find(m.Concept)
	for _, related := range of.Related {
		all = append(all, mapping.Meaning{Role: m.Role, Concept: related})
	}
	if m.Role != "" {
		return all
	}
	if m == nameOfRecord && slices.Contains(subjects, "customer") {
		all = append(all, nameOfPerson, mapping.Meaning{Concept: "org.name"})
	}
	group, last, _ := strings.Cut(m.Concept, ".")
	for _, role := range subjects {
		other := ""
		switch group {
		case "record":
			other = role + "." + last
		case role:
			other = "record." + last
		}
		if conceptlist.Valid(other) {
			all = append(all, mapping.Meaning{Concept: other})
		}
	}
	return all
}
