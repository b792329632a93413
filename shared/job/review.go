package job

// Review selects when a person is asked about the columns of a file. The names are those of
// the API.
type Review string

// The reviews of columns.
const (
	ReviewAlways Review = "always" // even if all matches are certain
	ReviewUnsure Review = "unsure" // if a column was matched by anything less than its name, or may be an unmatched field
	ReviewNever  Review = "never"  // matched columns are accepted, the others ignored
)

// Reviews lists all reviews.
var Reviews = [...]Review{ReviewAlways, ReviewUnsure, ReviewNever}

// Valid reports whether it is one of Reviews.
func (r Review) Valid() bool { return r == ReviewAlways || r == ReviewUnsure || r == ReviewNever }

// MatchedBy is the basis of a column's match. The names are those of the API.
type MatchedBy string

// The bases of matches; "" if a column is not matched.
const (
	ByExact   MatchedBy = "exact"   // its header is the field's name
	ByAlias   MatchedBy = "alias"   // its header is an alias of the field
	BySimilar MatchedBy = "similar" // its header is similar to the name or an alias
	ByContent MatchedBy = "content" // its values are those of the field, regardless of the header
	ByProfile MatchedBy = "profile" // by a profile
	ByMapping MatchedBy = "mapping" // by the mapping given with the import
	ByPerson  MatchedBy = "person"  // by a person's decision
)

// ColumnContent describes the cells of a column, as far as they were read: all of them if a
// person may be asked.
type ColumnContent struct {
	Rows       int64             `json:"rows,omitempty"`       // rows read; 0: not examined
	Filled     int64             `json:"filled,omitempty"`     // rows with a value in the column
	Distinct   int64             `json:"distinct,omitempty"`   // distinct values
	AtLeast    bool              `json:"atLeast,omitempty"`    // the actual number exceeds Distinct
	Kind       string            `json:"kind,omitempty"`       // the kind of most values: content.Kind
	KindShare  float64           `json:"kindShare,omitempty"`  // share of the values, from 0 to 1
	Candidates []ColumnCandidate `json:"candidates,omitempty"` // fields that the column may be, the likeliest first
	Warnings   []string          `json:"warnings,omitempty"`   // codes of package problem
	// Contested is the field that this and another column match equally well; "" if there is none.
	Contested string `json:"contested,omitempty"`
	// Uncounted means that the column is undecided, and that Filled counts the first rows only:
	// splitting the file counts the rest.
	Uncounted bool `json:"uncounted,omitempty"`
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
