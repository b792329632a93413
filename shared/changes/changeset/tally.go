package changeset

import (
	"math"
	"strconv"
	"strings"
)

// Tally counts changes by table. It holds no values.
type Tally map[string]*TableTally

// TableTally counts what has become of a table's entities.
type TableTally struct {
	Counts
	// Columns are those of updates, and all of entities that were deleted or whose values
	// were kept when they were created.
	Columns map[string]*ColumnTally `json:",omitempty"`
}

// ColumnTally counts the updates that gave a column another value.
type ColumnTally struct {
	Changed int64 `json:",omitempty"`
	Filled  int64 `json:",omitempty"` // of these: there was none before
	Emptied int64 `json:",omitempty"` // of these: there is none now
	// Rises and Falls count, of numbers, those by more than each of Steps.
	Rises [steps]int64
	Falls [steps]int64
}

const steps = 3

// Steps are the parts of the value before by more than which a number rises or falls to be
// counted: a tenth, a half, and all of it. Nothing is a part of zero.
func Steps() [steps]float64 { return [steps]float64{0.1, 0.5, 1} }

// TallyOf counts changes of entities.
func TallyOf(changes []Change) Tally {
	t := make(Tally)
	var last tallied
	for i := range changes {
		if c := &changes[i]; !c.Internal() {
			if last.table == nil || last.change.Table != c.Table || !same(last.change.Columns, c.Columns) {
				last = t.of(c)
			}
			last.add(c)
		}
	}
	return t
}

// tallied is what is counted in for changes of a table and of columns, of which change is one.
type tallied struct {
	change  *Change
	table   *TableTally
	columns []*ColumnTally
}

func (t Tally) of(c *Change) tallied {
	found := tallied{change: c, table: t.table(c.Table)}
	for _, name := range c.Columns {
		found.columns = append(found.columns, found.table.column(name))
	}
	return found
}

func (t Tally) table(name string) *TableTally {
	if t[name] == nil {
		t[name] = &TableTally{Columns: make(map[string]*ColumnTally)}
	}
	return t[name]
}

func (t *TableTally) column(name string) *ColumnTally {
	if t.Columns == nil {
		t.Columns = make(map[string]*ColumnTally)
	}
	if t.Columns[name] == nil {
		t.Columns[name] = &ColumnTally{}
	}
	return t.Columns[name]
}

func (t *tallied) add(c *Change) {
	t.table.Counts.add(c.Op)
	if c.Op != Updated {
		return
	}
	for i, column := range t.columns {
		column.add(c.Before[i], c.After[i])
	}
}

func (t *ColumnTally) add(before, after *string) {
	t.Changed++
	switch {
	case before == nil:
		t.Filled++
	case after == nil:
		t.Emptied++
	default:
		part, ok := Rise(*before, *after)
		for i, step := range Steps() {
			if ok && part > step {
				t.Rises[i]++
			}
			if ok && part < -step {
				t.Falls[i]++
			}
		}
	}
}

// Rise returns by which part of itself a number rises, less than 0 where it falls; ok is
// false where one of them is no number, or the first is zero.
func Rise(before, after string) (part float64, ok bool) {
	if !maybeNumber(before) || !maybeNumber(after) {
		return 0, false
	}
	from, err := strconv.ParseFloat(before, 64)
	if err != nil || from == 0 {
		return 0, false
	}
	to, err := strconv.ParseFloat(after, 64)
	part = (to - from) / math.Abs(from)
	return part, err == nil && !math.IsNaN(part) && !math.IsInf(part, 0)
}

// maybeNumber reports whether a text begins as finite numbers do: to hear why something is no number is dear.
func maybeNumber(text string) bool {
	return text != "" && strings.IndexByte("+-.0123456789", text[0]) >= 0
}

// Add adds the counts of another part.
func (t Tally) Add(other Tally) {
	for name, theirs := range other {
		table := t.table(name)
		table.Created += theirs.Created
		table.Updated += theirs.Updated
		table.Deleted += theirs.Deleted
		for name, their := range theirs.Columns {
			column := table.column(name)
			column.Changed += their.Changed
			column.Filled += their.Filled
			column.Emptied += their.Emptied
			for i := range steps {
				column.Rises[i] += their.Rises[i]
				column.Falls[i] += their.Falls[i]
			}
		}
	}
}
