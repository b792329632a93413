// Package conceptlist lists the concepts and roles that fields can have, without the words for them:
// programs that only check declarations do not need those. See package concept.
package conceptlist

import (
	_ "embed"
	"slices"
	"strings"
)

// table has a line for each concept: its name, what its values look like, and related concepts.
//
//go:embed concepts.tsv
var table string

// Values are what the values of a concept look like.
type Values string

// The values of concepts.
const (
	Text    Values = "text"
	Number  Values = "number"
	Date    Values = "date"
	Flag    Values = "flag"
	Email   Values = "email"
	Phone   Values = "phone"
	Country Values = "country"
	URL     Values = "url"
	Any     Values = "any" // identifiers, durations and the like, which are stored in many ways
)

// Concept is what a field can mean.
type Concept struct {
	Name   string // "person.givenName"
	Values Values
	// Related are concepts whose headers usually mean this field in a file that has no column for them:
	// "Mobile" if there is only one telephone number.
	Related []string
}

// Roles are what a concept can belong to, besides the subject of the row.
var Roles = []string{
	"article", "author", "beneficiary", "billing", "category", "child", "coach", "comment", "company", "customer", "doctor", "emergency",
	"event", "item", "landlord", "member", "order", "parent", "participant", "partner", "payer", "period", "person", "previous", "receiver",
	"return", "second", "sender", "supplier", "teacher", "team", "tenant", "user",
}

// All returns the concepts in alphabetical order.
func All() (all []Concept) {
	for line := range strings.Lines(table) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, Concept{Name: fields[0], Values: Values(fields[1]), Related: strings.FieldsFunc(fields[2], func(r rune) bool { return r == ',' })})
	}
	return all
}

// Find returns the concept with that name; false if there is none.
func Find(name string) (Concept, bool) {
	for _, c := range All() {
		if c.Name == name {
			return c, true
		}
	}
	return Concept{}, false
}

// Valid reports whether a text is a concept, or a role and a concept: "receiver:address.city".
func Valid(text string) bool {
	role, name, inRole := strings.Cut(text, ":")
	if !inRole {
		name = text
	}
	_, known := Find(name)
	return known && (!inRole || slices.Contains(Roles, role))
}
