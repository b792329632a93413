package sheet

import "slices"

// The values of Locale.DateOrder: which of day, month and year stands first in
// a date of digits.
const (
	DayFirst   = "dmy"
	MonthFirst = "mdy"
	YearFirst  = "ymd"
)

// IsDateOrder reports whether s is one of DayFirst, MonthFirst and YearFirst.
func IsDateOrder(s string) bool { return slices.Contains([]string{DayFirst, MonthFirst, YearFirst}, s) }

// IsDecimalMark reports whether s is a point or a comma.
func IsDecimalMark(s string) bool { return s == "." || s == "," }

// Locale is how the texts of one column are read where they can be read in more
// than one way. It is found out from all cells of the column, before any of its
// rows is taken, and kept with the import: every later read comes to the same.
// The zero value is that of a column which nobody has looked at.
type Locale struct {
	DateOrder   Finding `json:"dateOrder,omitzero"`   // DayFirst, MonthFirst or YearFirst
	DecimalMark Finding `json:"decimalMark,omitzero"` // "." or ","
}

// Finding is one property of a Locale.
type Finding struct {
	Value    string   `json:"value"` // "" where nothing decides
	Evidence Evidence `json:"evidence"`
	// DecidedBy is how many cells can only be read in some of the ways.
	DecidedBy int64 `json:"decidedBy"`
	// Ambiguous is how many cells mean different things in the ways that are left
	// without a statement.
	Ambiguous int64 `json:"ambiguous"`
}

// Evidence is what a Finding rests on.
type Evidence string

// The kinds of evidence.
const (
	Stated        Evidence = "STATED"        // by the caller, for the file or for the column
	Decided       Evidence = "DECIDED"       // by cells that can be read in one way only
	Conventional  Evidence = "CONVENTION"    // no cell decides; what programs write is assumed
	Assumed       Evidence = "ASSUMED"       // no cell decides; as the options, or the organisation's settings, assume
	Ambiguous     Evidence = "AMBIGUOUS"     // cells can be read in several ways, and none decides
	Contradictory Evidence = "CONTRADICTORY" // cells decide for different ways
	None          Evidence = "NONE"          // no cell can be read in several ways
)

// IsUndecided reports whether cells of the column mean something only once somebody
// states the value.
func (f Finding) IsUndecided() bool {
	return f.Ambiguous > 0 && (f.Evidence == Ambiguous || f.Evidence == Contradictory)
}

// ApplyAssumption makes the finding what is assumed, if that is anything, where cells mean
// different things and none decides.
func (f *Finding) ApplyAssumption(value string) {
	if value != "" && f.Ambiguous > 0 && (f.Evidence == Ambiguous || f.Evidence == Conventional) {
		f.Value, f.Evidence = value, Assumed
	}
}

// SetStated makes the finding what a caller says, if that is anything.
func (f *Finding) SetStated(value string) {
	if value != "" {
		f.Value, f.Evidence = value, Stated
	}
}
