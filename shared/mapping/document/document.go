// Package document is the mapping of a file written down: which columns make which
// fields and how, what values stand for, and how the file is read. People keep it,
// send it with an import, and read back what an import was read by.
//
//	{"source": {"sheetName": "Members", "headerRow": 4},
//	 "fields": [{"field": "LAST_NAME", "from": ["Nom", "Prénom"], "separator": " ", "transforms": [{"op": "title"}]},
//	            {"field": "COUNTRY_CODE", "constant": "FR"}],
//	 "ignore": ["Notes"],
//	 "values": [{"field": "GENDER", "value": "Vrouw", "to": "FEMALE"}, {"field": "GENDER", "value": "?", "then": "empty"}],
//	 "defaults": [{"field": "COUNTRY", "to": "NL"}]}
//
// It is data and knows no file: Headers finds its columns in one. Parse holds it to
// its bounds, Check to the fields of an import type.
package document

import (
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

// Bounds of a document.
const (
	MaxBytes     = 1 << 20 // as JSON
	MaxFields    = 500
	MaxFrom      = 20 // columns of a field
	MaxSteps     = 1_000
	MaxIgnored   = 500
	MaxValues    = 10_000
	MaxDefaults  = 500
	MaxText      = 32_767 // characters of a value or a constant, as of a cell
	MaxHeader    = 300    // characters of a reference to a column
	MaxSeparator = 20     // characters of a separator
	maxName      = 100    // characters of a field's name
)

// Document is a mapping. Its zero value says nothing.
type Document struct {
	// Source is how the file is read; nil leaves it to detection.
	Source *sheet.Options `json:"source,omitempty"`
	// Fields say what is made of columns, at most once for each field.
	Fields []Field `json:"fields,omitempty"`
	// Ignore names columns of which nothing is to be made, unless a field takes them.
	Ignore []string `json:"ignore,omitempty"`
	// Values say what texts stand for, as they are after the field's transforms.
	Values []Value `json:"values,omitempty"`
	// Defaults say what all other texts of a field stand for that stand for nothing.
	// An empty cell is no such text: the transform "default" is for those.
	Defaults []Default `json:"defaults,omitempty"`
}

// Field says what a field is made of: columns, or a constant.
type Field struct {
	Field string `json:"field"` // the name of a field of the type: "FIRST_NAME"
	// From names the columns by their headers: see Headers. The texts of several are
	// joined, those that are blank left out. One column may make several fields.
	From []string `json:"from,omitempty"`
	// Separator stands between joined texts; nil is a space.
	Separator *string `json:"separator,omitempty"`
	// Constant is the text of all rows, in the place of columns.
	Constant *string `json:"constant,omitempty"`
	// Transforms change the text, in order.
	Transforms []transform.Step `json:"transforms,omitempty"`
	// DateOrder and DecimalMark say how the texts are read: as of sheet.Options.
	DateOrder   string `json:"dateOrder,omitempty"`
	DecimalMark string `json:"decimalMark,omitempty"`
}

// DefaultSeparator is the separator of a field that states none.
const DefaultSeparator = " "

// SeparatorText is what stands between the texts of several columns.
func (f *Field) SeparatorText() string {
	if f.Separator == nil {
		return DefaultSeparator
	}
	return *f.Separator
}

// Target is what a text stands for: exactly one of the three is given.
type Target struct {
	// To is a member of an enum, "true" or "false" of a boolean, or the name or code of
	// an entity.
	To string `json:"to,omitempty"`
	// ToID is the id of an entity.
	ToID string `json:"toId,omitempty"`
	// Then is what is done instead.
	Then Action `json:"then,omitempty"`
}

// Value says what a text of a field stands for.
type Value struct {
	Field string `json:"field"`
	Value string `json:"value"`
	Target
}

// Default says what the texts of a field stand for that stand for nothing else.
type Default struct {
	Field string `json:"field"`
	Target
}

// Action is what is done with a text that stands for nothing.
type Action string

// What may be done.
const (
	Empty  Action = "empty"  // the field stays empty
	Skip   Action = "skip"   // the row is left out
	Create Action = "create" // an entity is made of the text
)

// AddValues adds what another document says of values: of those that this
// one says nothing of, as far as there is room.
func (d *Document) AddValues(other *Document) {
	type key struct{ field, value string }
	said := make(map[key]bool, len(d.Values))
	for _, v := range d.Values {
		said[key{v.Field, v.Value}] = true
	}
	for _, v := range other.Values {
		if !said[key{v.Field, v.Value}] && len(d.Values) < MaxValues {
			d.Values = append(d.Values, v)
		}
	}
	if d.Defaults == nil {
		d.Defaults = other.Defaults
	}
}
