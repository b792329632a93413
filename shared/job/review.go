package job

// Review says when a person is asked what the columns of a file are. The names are those
// of the API.
type Review string

// The reviews of columns.
const (
	ReviewAlways Review = "always" // also when nothing is unsure
	ReviewUnsure Review = "unsure" // when a column was matched by anything less than its name, or may be a field that is not matched
	ReviewNever  Review = "never"  // what is matched is taken, the rest left out
)

// Reviews are all of them.
var Reviews = [...]Review{ReviewAlways, ReviewUnsure, ReviewNever}

// Valid reports whether it is one of Reviews.
func (r Review) Valid() bool { return r == ReviewAlways || r == ReviewUnsure || r == ReviewNever }

// MatchedBy says by what a column was matched. The names are those of the API.
type MatchedBy string

// What columns are matched by; "" where a column is nothing.
const (
	ByExact   MatchedBy = "exact"   // its header is the field's name
	ByAlias   MatchedBy = "alias"   // its header is another word for the field
	BySimilar MatchedBy = "similar" // its header is similar to one of these
	ByContent MatchedBy = "content" // its values are those of the field; its header says nothing
	ByProfile MatchedBy = "profile" // a profile says so
	ByMapping MatchedBy = "mapping" // the mapping that came with the import says so
	ByPerson  MatchedBy = "person"  // a person said so
)

// ColumnContent is what the cells of a column are like, as far as they were read: all of
// them where a person may be asked.
type ColumnContent struct {
	Rows       int64             `json:"rows,omitempty"`       // that were read; 0: nobody has looked
	Filled     int64             `json:"filled,omitempty"`     // of those, with a value in the column
	Distinct   int64             `json:"distinct,omitempty"`   // different values
	AtLeast    bool              `json:"atLeast,omitempty"`    // there are more than Distinct
	Kind       string            `json:"kind,omitempty"`       // what most of the values are: content.Kind
	KindShare  float64           `json:"kindShare,omitempty"`  // of the values, from 0 to 1
	Candidates []ColumnCandidate `json:"candidates,omitempty"` // what the column may be, the likeliest first
	Warnings   []string          `json:"warnings,omitempty"`   // codes of package problem
}

// FillRate is the share of the rows that have a value in the column, from 0 to 1.
func (c ColumnContent) FillRate() float64 {
	if c.Rows == 0 {
		return 0
	}
	return float64(c.Filled) / float64(c.Rows)
}

// ColumnCandidate is a field that a column may be.
type ColumnCandidate struct {
	Field  string    `json:"field"`
	Score  float64   `json:"score"` // from 0 to 1; 1 for its name and aliases
	Reason MatchedBy `json:"reason"`
}
