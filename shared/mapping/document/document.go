// Package document defines the mapping document of a file: which columns make which fields
// and how, the targets of values, and the reading options. People store it, send it with an
// import, and download the one that an import used.
//
//	{"source": {"sheetName": "Members", "headerRow": 4},
//	 "fields": [{"field": "LAST_NAME", "from": ["Nom", "Prénom"], "separator": " ", "transforms": [{"op": "title"}]},
//	            {"field": "COUNTRY_CODE", "constant": "FR"}],
//	 "ignore": ["Notes"],
//	 "values": [{"field": "GENDER", "value": "Vrouw", "to": "FEMALE"}, {"field": "GENDER", "value": "?", "then": "empty"}],
//	 "defaults": [{"field": "COUNTRY", "to": "NL"}]}
//
// It is data and independent of any file: Headers finds its columns in one. Parse checks its
// limits, CheckFields the fields of an import type.
package document

import (
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

// Limits of a document.
const (
	MaxBytes     = 1 << 20 // as JSON
	MaxFields    = 500
	MaxFrom      = 20 // columns per field
	MaxSteps     = 1_000
	MaxIgnored   = 500
	MaxValues    = 10_000
	MaxDefaults  = 500
	MaxText      = 32_767 // characters of a value or a constant, as in a cell
	MaxHeader    = 300    // characters of a reference to a column
	MaxSeparator = 20     // characters of a separator
	maxName      = 100    // characters of a field's name
)

// Document is a mapping. Its zero value is empty.
type Document struct {
	// Source contains the reading options; nil leaves them to detection.
	Source *sheet.Options `json:"source,omitempty"`
	// Fields define the sources of fields, at most one entry for each field.
	Fields []Field `json:"fields,omitempty"`
	// Ignore lists columns to ignore, unless a field uses them.
	Ignore []string `json:"ignore,omitempty"`
	// Values map texts, after the field's transforms, to targets.
	Values []Value `json:"values,omitempty"`
	// Defaults map all texts of a field that have no other match. An empty cell is no such
	// text: the transform "default" is for those.
	Defaults []Default `json:"defaults,omitempty"`
}

// Field defines the source of a field: columns or a constant.
type Field struct {
	Field string `json:"field"` // name of a field of the type: "FIRST_NAME"
	// From names the columns by their headers: see Headers. The texts of several columns are
	// joined, blank ones left out. A column may be used by several fields.
	From []string `json:"from,omitempty"`
	// Separator separates joined texts; nil is a space.
	Separator *string `json:"separator,omitempty"`
	// Constant is the text for all rows, instead of columns.
	Constant *string `json:"constant,omitempty"`
	// Transforms are applied to the text in order.
	Transforms []transform.Step `json:"transforms,omitempty"`
	// DateOrder and DecimalMark define how the texts are parsed, as in sheet.Options.
	DateOrder   string `json:"dateOrder,omitempty"`
	DecimalMark string `json:"decimalMark,omitempty"`
}

// DefaultSeparator is the separator of a field without one.
const DefaultSeparator = " "

// SeparatorText returns the separator between the texts of several columns.
func (f *Field) SeparatorText() string {
	if f.Separator == nil {
		return DefaultSeparator
	}
	return *f.Separator
}

// Target is the target of a text: exactly one of the three members is set.
type Target struct {
	// To is a member of an enum, "true" or "false" of a boolean, or the name or code of
	// an entity.
	To string `json:"to,omitempty"`
	// ToID is the id of an entity.
	ToID string `json:"toId,omitempty"`
	// Then is the action instead of a target.
	Then Action `json:"then,omitempty"`
}

// Value maps a text of a field to a target.
type Value struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Target
}

// Default maps the texts of a field that have no other match.
type Default struct {
	Field string `json:"field"`
	Target
}

// Action is how to handle a text without a match.
type Action string

// The actions.
const (
	Empty  Action = "empty"  // the field stays empty
	Skip   Action = "skip"   // the row is skipped
	Create Action = "create" // an entity is created from the text
)

// AddValues adds another document's entries for values without an entry in this one, up to
// the limit.
func (d *Document) AddValues(other *Document) {
	type key struct{ field, value string }
	listed := make(map[key]bool, len(d.Values))
	for _, v := range d.Values {
		listed[key{v.Field, v.Value}] = true
	}
	for _, v := range other.Values {
		if !listed[key{v.Field, v.Value}] && len(d.Values) < MaxValues {
			d.Values = append(d.Values, v)
		}
	}
	if d.Defaults == nil {
		d.Defaults = other.Defaults
	}
}
