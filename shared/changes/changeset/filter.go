package changeset

import (
	"slices"
	"strings"
)

// Filter selects changes of entities. The zero value selects all.
type Filter struct {
	Op     Op     // 0 for any
	Column string // changed column; "" for any
	// Text must occur in one of the values, or in a value of Column if that is set. Case is
	// ignored.
	Text string
}

// Matches reports whether the filter selects the change.
func (f Filter) Matches(c *Change) bool {
	if c.IsInternal() || f.Op != 0 && f.Op != c.Op {
		return false
	}
	if f.Column != "" && !slices.Contains(c.Columns, f.Column) {
		return false
	}
	return f.Text == "" || f.containsText(c)
}

// containsText reports whether one of the values contains the text.
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
