package mapping

import (
	"errors"
	"fmt"
	"regexp"

	"github.com/loadbay/loadbay/shared/mapping/content"
)

// Kind is the kind of a target's values. It decides ties by sample values and defines the
// words that a header may contain in addition ("Joined date" for a date).
type Kind uint8

// The kinds of targets.
const (
	Text Kind = iota
	Email
	Choice // one of Target.Values
	UUID
	Integer
	Decimal
	Boolean
	Date
	Timestamp
	Reference // the name, code or id of another entity
	List      // several texts
)

// Target is a field that a column can be mapped to.
type Target struct {
	Name     string   // "FIRST_NAME"
	Title    string   // "First name"
	Aliases  []string // other headers of the field, the preferred ones first
	Kind     Kind
	Required bool
	Values   []string // allowed words of a Choice; may be empty
	Pattern  string   // regular expression (RE2) that values match; "" for any
	// Content is the kind of values of a Text or a Reference; 0 if unspecified.
	Content content.Kind
	// Concepts are what the target means, the main one first. They need Dictionary.Concepts.
	Concepts []Meaning
}

// Dictionary lists the possible targets of one import type's columns.
type Dictionary struct {
	// Subjects are words for the record that a row describes: "member" if rows are members.
	// "Member first name" then means "First name".
	Subjects []string
	Targets  []Target
	Concepts Concepts // words of concepts; nil for none
}

// validate returns all errors of the dictionary.
func (d *Dictionary) validate() error {
	var errs []error
	seen := make(map[string]bool, len(d.Targets))
	for i := range d.Targets {
		t := &d.Targets[i]
		switch {
		case HeaderKey(t.Name) == "":
			errs = append(errs, fmt.Errorf("target %d has no name", i))
		case seen[t.Name]:
			errs = append(errs, fmt.Errorf("target %s is listed twice", t.Name))
		}
		seen[t.Name] = true
		if _, err := regexp.Compile(t.Pattern); err != nil {
			errs = append(errs, fmt.Errorf("target %s: %w", t.Name, err))
		}
		for _, alias := range t.Aliases {
			if HeaderKey(alias) == "" {
				errs = append(errs, fmt.Errorf("target %s has the blank alias %q", t.Name, alias))
			}
		}
	}
	return errors.Join(errs...)
}

// Column is a column of a file.
type Column struct {
	Index   int    // its position, as counted by the caller
	Header  string // as written; may be blank
	Samples []string
	Nested  bool // its values are JSON objects or arrays
}

// canFill reports whether the column can be the target at all: an object or array
// is never a single value.
func (c *Column) canFill(t *Target) bool { return !c.Nested || t.Kind == List }

// Status is the state of a match. The names are those of the API.
type Status string

// The statuses of a mapping.
const (
	AutoMatched Status = "AUTO_MATCHED"
	Unresolved  Status = "UNRESOLVED"
)

// Reason is the reason for the status of a match, for people and for tests.
type Reason string

// The reasons; those of matches come first.
const (
	ByName       Reason = "NAME"    // the header is the field's name or title
	ByAlias      Reason = "ALIAS"   // the header is one of the aliases
	BySimilarity Reason = "SIMILAR" // the header is similar to the name or an alias
	ByContent    Reason = "CONTENT" // the values can belong only to this field; see ApplySamples

	NoHeader     Reason = "BLANK"     // nothing to compare
	Unknown      Reason = "UNKNOWN"   // no candidate is similar enough
	TargetTaken  Reason = "TAKEN"     // the field was assigned to a column that fits better
	Ambiguous    Reason = "AMBIGUOUS" // fields or columns fit equally well
	Contradicted Reason = "CONTRARY"  // the header is similar to a field that the values contradict; see ApplySamples
)

// Match is the outcome for one column.
type Match struct {
	Column     Column
	Target     string  // Target.Name, or "" if Status is Unresolved
	Confidence float64 // 1; 0.80 to 0.99 for BySimilarity; 0 without a target
	Status     Status
	Reason     Reason
	// Contested is the target that this and at least one other column match equally well, so
	// that neither of them has it; "" if there is none.
	Contested string
}
