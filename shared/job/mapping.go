package job

import (
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

// MappingStatus is the state of the match of a column or a value.
type MappingStatus string

// The statuses of a mapping, as on the wire.
const (
	AutoMatched   MappingStatus = "AUTO_MATCHED"
	ManualMatched MappingStatus = "MANUAL_MATCHED"
	Unresolved    MappingStatus = "UNRESOLVED"
	Ignored       MappingStatus = "IGNORED"
)

// MappedColumn defines which field a column of the file is, and how its texts are parsed.
// There is one for each column, and one for each further field that is composed of columns
// or has a constant.
type MappedColumn struct {
	ID          int64
	ColumnIndex int // from 0; negative for an entry without a column of its own
	Header      string
	TargetField string // "" while unresolved or ignored
	Status      MappingStatus
	Confidence  float64 // 0 to 1
	Samples     []string
	Confirmed   bool // by a person, or by the import being one-shot
	Decided     bool // a person decided about this single column
	MatchedBy   MatchedBy
	Content     ColumnContent
	// Locale is fixed before the first row is processed; all readers of the file's rows use it.
	Locale sheet.Locale
	// ExtraColumns are further columns. Their texts are appended to the column's own, in order,
	// with the Separator between those that are not blank.
	ExtraColumns []int
	Separator    string
	// Constant is the text for all rows, instead of columns; or nil.
	Constant *string
	// Transforms are applied to the text in order.
	Transforms []transform.Step
}

// Columns returns the indexes of the columns that the field is composed of, in order.
func (c *MappedColumn) Columns() []int {
	if c.ColumnIndex < 0 {
		return c.ExtraColumns
	}
	return append([]int{c.ColumnIndex}, c.ExtraColumns...)
}

// IsComposed reports whether the field's text differs from the text of the entry's own column.
func (c *MappedColumn) IsComposed() bool {
	return c.ColumnIndex < 0 || len(c.ExtraColumns) > 0 || len(c.Transforms) > 0
}

// FieldsByColumn returns the fields that each column of the file contributes to, by column
// index.
func FieldsByColumn(columns []MappedColumn) map[int][]string {
	feeds := make(map[int][]string, len(columns))
	for i := range columns {
		if c := &columns[i]; c.TargetField != "" {
			for _, place := range c.Columns() {
				feeds[place] = append(feeds[place], c.TargetField)
			}
		}
	}
	return feeds
}

// MappedCell defines what a value of a column matches: an entity, or a word of an enum field.
type MappedCell struct {
	ID          int64
	TargetField string
	Value       string
	Status      MappingStatus
	EntityID    string // "" while unresolved or ignored, and for fields without entities
	// TargetValue replaces the value: a word of an enum, "true" or "false", or the name of the
	// entity if the field stores a text; else "".
	TargetValue string
	Empty       bool  // the field gets no value
	Rows        int64 // number of rows with the value, as far as read
	FirstRow    int64
	Confirmed   bool
	Decided     bool // a person decided about this single value
	// Create means that an entity is created for the value when the first row needs it.
	// EntityID is "" until then.
	Create bool
}

// PersonField is the TargetField of questions about the person of a row. Their values describe one
// person each, so no mapping or profile contains them.
const PersonField = "PERSON"

// UnresolvedCells is the number of unresolved values of a field.
type UnresolvedCells struct {
	Field string
	Count int64
}

// CellPage selects a part of the list of a file's values.
type CellPage struct {
	Unresolved bool   // only values without a decision
	Text       string // only values that contain it, ignoring case; "" for all
	Order      CellOrder
	Page
}

// CellOrder is an order of values.
type CellOrder uint8

// The orders. OrderByDecision lists first the values that need a person's decision, before
// and after it is made; both these and the others are ordered by number of rows, descending.
const (
	OrderByDecision CellOrder = iota
	OrderByRows
	OrderByField
)

// SetTarget sets the status of the value, and takes EntityID, TargetValue, Create and Empty
// from what.
func (c *MappedCell) SetTarget(status MappingStatus, what MappedCell) {
	c.Status, c.EntityID, c.TargetValue, c.Create, c.Empty = status, what.EntityID, what.TargetValue, what.Create, what.Empty
}

// HasTarget reports whether the value has a match.
func (c *MappedCell) HasTarget() bool {
	return c.EntityID != "" || c.TargetValue != "" || c.Create || c.Empty
}

// IsResolved reports whether the value is matched or ignored.
func (c *MappedCell) IsResolved() bool { return c.Status != Unresolved }

// TargetFields returns the set of fields that the columns are matched to.
func TargetFields(columns []MappedColumn) map[string]bool {
	mapped := make(map[string]bool, len(columns))
	for _, c := range columns {
		if c.TargetField != "" {
			mapped[c.TargetField] = true
		}
	}
	return mapped
}
