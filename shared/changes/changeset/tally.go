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
	Rises [thresholdCount]int64
	Falls [thresholdCount]int64
}

const thresholdCount = 3

// ChangeThresholds are the parts of the value before by more than which a number rises or falls to be
// counted: a tenth, a half, and all of it. Nothing is a part of zero.
func ChangeThresholds() [thresholdCount]float64 { return [thresholdCount]float64{0.1, 0.5, 1} }

// NewTally counts changes of entities.
func NewTally(changes []Change) Tally {
	t := make(Tally)
	var last tallyCounters
	for i := range changes {
		if c := &changes[i]; !c.IsInternal() {
			if last.table == nil || last.change.Table != c.Table || !sameList(last.change.Columns, c.Columns) {
				last = t.countersFor(c)
			}
			last.add(c)
		}
	}
	return t
}

// tallyCounters is what is counted in for changes of a table and of columns, of which change is one.
type tallyCounters struct {
	change  *Change
	table   *TableTally
	columns []*ColumnTally
}

func (t Tally) countersFor(c *Change) tallyCounters {
	found := tallyCounters{change: c, table: t.tableTally(c.Table)}
	for _, name := range c.Columns {
		found.columns = append(found.columns, found.table.columnTally(name))
	}
	return found
}

func (t Tally) tableTally(name string) *TableTally {
	if t[name] == nil {
		t[name] = &TableTally{Columns: make(map[string]*ColumnTally)}
	}
	return t[name]
}

func (t *TableTally) columnTally(name string) *ColumnTally {
	if t.Columns == nil {
		t.Columns = make(map[string]*ColumnTally)
	}
	if t.Columns[name] == nil {
		t.Columns[name] = &ColumnTally{}
	}
	return t.Columns[name]
}

func (t *tallyCounters) add(c *Change) {
	t.table.Counts.add(c.Op)
	if c.Op != Updated {
		return
	}
	for i, column := range t.columns {
		column.addUpdate(c.Before[i], c.After[i])
	}
}

func (t *ColumnTally) addUpdate(before, after *string) {
	t.Changed++
	switch {
	case before == nil:
		t.Filled++
	case after == nil:
		t.Emptied++
	default:
		part, ok := RelativeChange(*before, *after)
		for i, step := range ChangeThresholds() {
			if ok && part > step {
				t.Rises[i]++
			}
			if ok && part < -step {
				t.Falls[i]++
			}
		}
	}
}

// RelativeChange returns by which part of itself a number rises, less than 0 where it falls; ok is
// false where one of them is no number, or the first is zero.
func RelativeChange(before, after string) (part float64, ok bool) {
	if !looksNumeric(before) || !looksNumeric(after) {
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

// looksNumeric reports whether a text begins as finite numbers do: to hear why something is no number is dear.
func looksNumeric(text string) bool {
	return text != "" && strings.IndexByte("+-.0123456789", text[0]) >= 0
}

// Add adds the counts of another part.
func (t Tally) Add(other Tally) {
	for name, theirs := range other {
		table := t.tableTally(name)
		table.Created += theirs.Created
		table.Updated += theirs.Updated
		table.Deleted += theirs.Deleted
		for name, their := range theirs.Columns {
			column := table.columnTally(name)
			column.Changed += their.Changed
			column.Filled += their.Filled
			column.Emptied += their.Emptied
			for i := range thresholdCount {
				column.Rises[i] += their.Rises[i]
				column.Falls[i] += their.Falls[i]
			}
		}
	}
}
