package job

import (
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/transform"
)

// MappingStatus says how far it is known what a column or a value stands for.
type MappingStatus string

// The statuses of a mapping, as on the wire.
const (
	AutoMatched   MappingStatus = "AUTO_MATCHED"
	ManualMatched MappingStatus = "MANUAL_MATCHED"
	Unresolved    MappingStatus = "UNRESOLVED"
	Ignored       MappingStatus = "IGNORED"
)

// MappedColumn says which field a column of the file is, and how its texts are read.
// There is one for each column, and one for each further field that columns make, or
// that has a constant.
type MappedColumn struct {
	ID          int64
	ColumnIndex int // from 0; negative where it stands for no column of its own
	Header      string
	TargetField string // "" while unresolved or ignored
	Status      MappingStatus
	Confidence  float64 // 0 to 1
	Samples     []string
	Confirmed   bool // by a person, or by the import being one-shot
	Decided     bool // a person said so of this very column
	MatchedBy   MatchedBy
	Content     ColumnContent
	// Locale is settled before the first row is taken; all that read the file's rows
	// read them by it.
	Locale sheet.Locale
	// More are further columns whose texts are joined to the column's own, in order,
	// with the Separator between those that are not blank.
	ExtraColumns []int
	Separator    string
	// Constant is the text of all rows, in the place of columns; or nil.
	Constant *string
	// Transforms change the text, in order.
	Transforms []transform.Step
}

// Columns are the places of the columns that the field is made of, in order.
func (c *MappedColumn) Columns() []int {
	if c.ColumnIndex < 0 {
		return c.ExtraColumns
	}
	return append([]int{c.ColumnIndex}, c.ExtraColumns...)
}

// IsComposed reports whether the field's text is another one than that of the row's own
// column as it stands.
func (c *MappedColumn) IsComposed() bool {
	return c.ColumnIndex < 0 || len(c.ExtraColumns) > 0 || len(c.Transforms) > 0
}

// FieldsByColumn are the fields that each column of the file makes, by its place.
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

// MappedCell says what a value of a column stands for: an entity, or a word of a field
// that takes one of a few.
type MappedCell struct {
	ID          int64
	TargetField string
	Value       string
	Status      MappingStatus
	EntityID    string // "" while unresolved or ignored, and of fields without entities
	// TargetValue is what is taken instead of the value: a word of an enum, "true" or
	// "false", the name of the entity where a text is kept; else "".
	TargetValue string
	Empty       bool  // the field gets no value
	Rows        int64 // how many rows hold the value, as far as read
	FirstRow    int64
	Confirmed   bool
	Decided     bool // a person said so of this very value
	// Create says that the value is to have an entity of its own, which is made when
	// the first row needs it. EntityID is "" until then.
	Create bool
}

// UnresolvedCells says how many values of a field stand for nothing yet.
type UnresolvedCells struct {
	Field string
	Count int64
}

// CellPage is a part of the list of a file's values.
type CellPage struct {
	Unresolved bool   // only values of which nothing is said
	Text       string // only values that have it, without regard to case; "" for all
	Order      CellOrder
	Offset     int64
	Limit      int64
}

// CellOrder is an order of values.
type CellOrder uint8

// The orders. OrderByDecision has those first that a person is asked about, before and after the
// answer, and of these and of the others those in most rows.
const (
	OrderByDecision CellOrder = iota
	OrderByRows
	OrderByField
)

// SetTarget makes the value stand for what is given of EntityID, TargetValue, Create and
// Empty, and for nothing else.
func (c *MappedCell) SetTarget(status MappingStatus, what MappedCell) {
	c.Status, c.EntityID, c.TargetValue, c.Create, c.Empty = status, what.EntityID, what.TargetValue, what.Create, what.Empty
}

// HasTarget reports whether the value was taken for anything.
func (c *MappedCell) HasTarget() bool {
	return c.EntityID != "" || c.TargetValue != "" || c.Create || c.Empty
}

// IsResolved reports whether it is known what the value stands for.
func (c *MappedCell) IsResolved() bool { return c.Status != Unresolved }

// TargetFields returns the fields that the columns are.
func TargetFields(columns []MappedColumn) map[string]bool {
	mapped := make(map[string]bool, len(columns))
	for _, c := range columns {
		if c.TargetField != "" {
			mapped[c.TargetField] = true
		}
	}
	return mapped
}
