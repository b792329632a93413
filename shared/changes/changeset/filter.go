package changeset

import (
	"slices"
	"strings"
)

// Filter chooses changes of entities. Its zero value chooses all.
type Filter struct {
	Op     Op     // 0 for any
	Column string // that has another value; "" for any
	// Text is in one of the values, of that column if one is given, without regard to case.
	Text string
}

// Matches reports whether the change is one of those.
func (f Filter) Matches(c *Change) bool {
	if c.IsInternal() || f.Op != 0 && f.Op != c.Op {
		return false
	}
	if f.Column != "" && !slices.Contains(c.Columns, f.Column) {
		return false
	}
	return f.Text == "" || f.containsText(c)
}

// containsText reports whether one of the values holds the text.
func (f Filter) containsText(c *Change) bool {
	text := strings.ToLower(f.Text)
	for _, values := range [][]*string{c.Before, c.After} {
		for i, v := range values {
			if v != nil && (f.Column == "" || f.Column == c.Columns[i]) && strings.Contains(strings.ToLower(*v), text) {
				return true
			}
		}
	}
	return false
}

// ParseOp is the inverse of Op.String.
func ParseOp(name string) (Op, bool) {
	for _, o := range []Op{Created, Updated, Deleted} {
		if o.String() == name {
			return o, true
		}
	}
	return 0, false
}
