package changeset

import (
	"math"
	"strconv"
	"strings"
)

// Tally counts changes by table. It contains no values.
type Tally map[string]*TableTally

// TableTally counts the changes of a table's entities.
type TableTally struct {
	Counts
	// Columns counts by column: columns of updates, and all columns of entities that were deleted,
	// or created with their values recorded.
	Columns map[string]*ColumnTally `json:",omitempty"`
}

// ColumnTally counts the updates that changed a column.
type ColumnTally struct {
	Changed int64 `json:",omitempty"`
	Filled  int64 `json:",omitempty"` // updates of an empty value
	Emptied int64 `json:",omitempty"` // updates to an empty value
	// Rises and Falls count the numbers that changed by more than each of ChangeThresholds.
	Rises [thresholdCount]int64
	Falls [thresholdCount]int64
}

const thresholdCount = 3

// ChangeThresholds returns the relative changes above which a rise or fall of a number is counted:
// a tenth, a half, and the whole of the value before. Changes from zero are not counted.
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

// tallyCounters holds the counters of a table and its columns that one change increments.
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

// RelativeChange returns the change of a number relative to its value before, negative if it falls.
// ok is false if one of the texts is not a number, or the first number is zero.
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

// looksNumeric reports whether a text begins like a finite number. It avoids the costly error of
// parsing a text that is not a number.
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
