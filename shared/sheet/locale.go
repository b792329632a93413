package sheet

import "slices"

// The values of Locale.DateOrder: which of day, month and year comes first in a numeric date.
const (
	DayFirst   = "dmy"
	MonthFirst = "mdy"
	YearFirst  = "ymd"
)

// IsDateOrder reports whether s is one of DayFirst, MonthFirst and YearFirst.
func IsDateOrder(s string) bool { return slices.Contains([]string{DayFirst, MonthFirst, YearFirst}, s) }

// IsDecimalMark reports whether s is a point or a comma.
func IsDecimalMark(s string) bool { return s == "." || s == "," }

// Locale defines how ambiguous texts of one column are parsed. It is determined from all cells of
// the column before any of its rows is processed, and stored with the import, so that every later
// read has the same result. The zero value is that of a column that was not analysed.
type Locale struct {
	DateOrder   Finding `json:"dateOrder,omitzero"`   // DayFirst, MonthFirst or YearFirst
	DecimalMark Finding `json:"decimalMark,omitzero"` // "." or ","
}

// Finding is the finding about one property of a Locale.
type Finding struct {
	Value    string   `json:"value"` // "" if undecided
	Evidence Evidence `json:"evidence"`
	// DecidedBy is the number of cells that are valid in only some of the alternatives.
	DecidedBy int64 `json:"decidedBy"`
	// Ambiguous is the number of cells with different values in the remaining alternatives.
	Ambiguous int64 `json:"ambiguous"`
	// ByOrder counts the dates of a column that mixes date orders; it is zero for any other column.
	ByOrder OrderCounts `json:"byOrder,omitzero"`
}

// OrderCounts are numbers of dates that are valid in one order only.
type OrderCounts struct {
	DayFirst   int64 `json:"dmy,omitempty"`
	MonthFirst int64 `json:"mdy,omitempty"`
	YearFirst  int64 `json:"ymd,omitempty"`
}

// Evidence is the basis of a Finding.
type Evidence string

// The kinds of evidence.
const (
	Stated        Evidence = "STATED"        // by the caller, for the file or for the column
	Decided       Evidence = "DECIDED"       // by cells with only one valid reading
	Conventional  Evidence = "CONVENTION"    // no cell decides; the convention of programs is assumed
	Assumed       Evidence = "ASSUMED"       // no cell decides; assumed by the options or the organisation's settings
	Ambiguous     Evidence = "AMBIGUOUS"     // cells have several readings, and none decides
	Contradictory Evidence = "CONTRADICTORY" // cells decide for different values
	None          Evidence = "NONE"          // no cell has several readings
)

// MixesOrders reports whether the dates of the column have different orders, so that any one order
// is wrong for some of them. It stays true if an order is stated.
func (f Finding) MixesOrders() bool { return f.ByOrder != OrderCounts{} }

// IsUndecided reports whether cells of the column can only be parsed once the value is stated.
func (f Finding) IsUndecided() bool {
	return f.Ambiguous > 0 && (f.Evidence == Ambiguous || f.Evidence == Contradictory)
}

// ApplyAssumption sets the finding to the assumed value, unless it is "", if cells are ambiguous
// and none decides.
func (f *Finding) ApplyAssumption(value string) {
	if value != "" && f.Ambiguous > 0 && (f.Evidence == Ambiguous || f.Evidence == Conventional) {
		f.Value, f.Evidence = value, Assumed
	}
}

// SetStated sets the finding to the value stated by a caller, unless it is "".
func (f *Finding) SetStated(value string) {
	if value != "" {
		f.Value, f.Evidence = value, Stated
	}
}
