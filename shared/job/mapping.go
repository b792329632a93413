package job

import "github.com/loadbay/loadbay/shared/sheet"

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
type MappedColumn struct {
	ID          int64
	ColumnIndex int
	Header      string
	TargetField string // "" while unresolved or ignored
	Status      MappingStatus
	Confidence  float64 // 0 to 1
	Samples     []string
	Confirmed   bool // by a person, or by the import being one-shot
	Decided     bool // a person said so of this very column: it is remembered
	MatchedBy   MatchedBy
	Content     ColumnContent
	// Locale is settled before the first row is taken; all that read the file's rows
	// read them by it.
	Locale sheet.Locale
}

// MappedCell says which entity a value of a column stands for.
type MappedCell struct {
	ID          int64
	TargetField string
	Value       string
	Status      MappingStatus
	EntityID    string // "" while unresolved or ignored
	Rows        int64  // how many rows hold the value, as far as read
	FirstRow    int64
	Confirmed   bool
	Decided     bool // a person said so of this very value: it is remembered
	// Create says that the value is to have an entity of its own, which is made when
	// the first row needs it. EntityID is "" until then.
	Create bool
}

// MappedFields returns the fields that the columns are.
func MappedFields(columns []MappedColumn) map[string]bool {
	mapped := make(map[string]bool, len(columns))
	for _, c := range columns {
		if c.TargetField != "" {
			mapped[c.TargetField] = true
		}
	}
	return mapped
}
