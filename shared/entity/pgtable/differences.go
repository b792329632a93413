package pgtable

import "fmt"

// Category is what a difference means for imports: a key of a declaration's onDrift.
type Category string

// The categories.
const (
	ColumnAdded    Category = "columnAdded"    // rows without the column can be inserted
	ColumnRequired Category = "columnRequired" // rows without a value are refused
	ColumnGone     Category = "columnGone"     // or renamed
	TypeChanged    Category = "typeChanged"    // of a column, or of the table
	KeyChanged     Category = "keyChanged"     // unique indexes, policies and rules
	CheckChanged   Category = "checkChanged"   // other constraints, and triggers
)

// Difference is a change of a table since it was adopted.
type Difference struct {
	Category Category
	Column   string // "" if it is not about one
	Name     string // of the constraint, index, trigger or policy; "" for others
	Message  string // a sentence for people
}

// Differences returns what has changed, in the order of the adopted table, then of the other.
func Differences(adopted, now *Table) []Difference {
	before, after := adopted.facts(), now.facts()
	renamed := renamedColumns(adopted, now)
	newNames := make(map[string]bool, len(renamed))
	for _, name := range renamed {
		newNames[name] = true
	}
	later := bySubject(after)
	var differences []Difference
	add := func(f *fact, category Category, message string) {
		differences = append(differences, Difference{Category: category, Column: f.column, Name: f.name, Message: message})
	}
	for i := range before {
		was := &before[i]
		is, exists := later[was.subject]
		switch {
		case exists && is.text != was.text:
			category := is.added
			if is.rank < was.rank {
				category = is.gone
			}
			add(is, category, sentence("%s changed from %s to %s.", was.subject, was.text, is.text))
		case exists || isDetail(was, now):
		case was.column != "" && renamed[was.column] != "":
			add(was, was.gone, sentence("%s was removed, or renamed to %q.", was.subject, renamed[was.column]))
		default:
			add(was, was.gone, sentence("%s was removed.", was.subject))
		}
	}
	earlier := bySubject(before)
	for i := range after {
		is := &after[i]
		if _, existed := earlier[is.subject]; !existed && !isDetail(is, adopted) && !newNames[is.column] {
			add(is, is.added, sentence("%s was added.", is.subject))
		}
	}
	return differences
}

// sentence capitalises the first letter, which is in ASCII.
func sentence(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	return string(text[0]-'a'+'A') + text[1:]
}

func bySubject(facts []fact) map[string]*fact {
	m := make(map[string]*fact, len(facts))
	for i := range facts {
		m[facts[i].subject] = &facts[i]
	}
	return m
}

// isDetail reports whether a fact says more about a column that the other table does not have.
func isDetail(f *fact, other *Table) bool {
	return f.column != "" && other.Column(f.column) == nil && f.subject != fmt.Sprintf("column %q", f.column)
}

// renamedColumns maps the names of columns that are gone to those of new columns in their places and
// with their types.
func renamedColumns(adopted, now *Table) map[string]string {
	renamed := map[string]string{}
	for i := range adopted.Columns {
		was := &adopted.Columns[i]
		if now.Column(was.Name) != nil {
			continue
		}
		for j := range now.Columns {
			is := &now.Columns[j]
			if is.Number == was.Number && is.Type == was.Type && adopted.Column(is.Name) == nil {
				renamed[was.Name] = is.Name
			}
		}
	}
	return renamed
}
