package changeset

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// ParseCaptured returns the changes that the database has captured, in order. Migrations 0040
// and 0058 describe the text format. Statements that record their own changes write the names of the
// table and its columns as a JSON array, and the length of each id before it, because they may contain
// any character. Changes of one entity by several statements are merged
// into one change, unless the entity was deleted and recreated with only a hash of its values:
// then they remain two changes.
func ParseCaptured(text string) ([]Change, error) {
	lines := strings.Count(text, "\n") // usually of one statement
	c := &captureParser{rest: text, changes: []Change{}, current: make([]Change, 0, lines), index: make(map[entityKey]int), tables: make(map[string]bool)}
	for c.rest != "" && c.err == nil {
		c.parseStatement()
	}
	if c.err != nil {
		return nil, fmt.Errorf("captured changes: %w", c.err)
	}
	changes := slices.DeleteFunc(c.changes, func(change Change) bool { return change.Op == 0 })
	var names columnInterner
	for i := range changes {
		changes[i].dropUnchanged(&names)
	}
	return changes, nil
}

type entityKey struct{ table, id string }

// captureParser reads the text. After the first error it reads zeros and keeps the error.
type captureParser struct {
	rest    string
	changes []Change          // with all columns; Op is 0 for an entity that was created and deleted again
	current []Change          // of the current statement, not yet sorted
	tables  map[string]bool   // tables that occur in changes
	index   map[entityKey]int // of the first len(index) changes
	indexed int
	sized   bool // the ids of the current statement have their length before them
	err     error
}

// errCaptureFormat reports text that the trigger cannot have written.
var errCaptureFormat = errors.New("invalid captured change")

// parseStatement reads the changes of one statement.
func (c *captureParser) parseStatement() {
	line, rest, _ := strings.Cut(c.rest, "\n")
	operation, names, _ := strings.Cut(line, " ")
	table, columns, ok := c.parseNames(names)
	if !ok {
		c.err = errCaptureFormat
		return
	}
	c.rest = rest
	c.current = c.current[:0]
	for c.err == nil && c.rest != "" && c.rest[0] >= '0' && c.rest[0] <= '9' {
		c.current = append(c.current, Change{Table: table, Columns: columns})
		c.parseChange(operation, &c.current[len(c.current)-1])
	}
	sortByRow(c.current)
	switch {
	case c.tables[table]:
		for i := range c.current {
			c.merge(c.current[i])
		}
	case len(c.changes) == 0:
		c.changes, c.current = c.current, nil
	default: // a statement changes an entity at most once
		c.changes = append(c.changes, c.current...)
	}
	c.tables[table] = true
}

// parseNames reads the names of a statement's table and columns.
func (c *captureParser) parseNames(text string) (table string, columns []string, ok bool) {
	if c.sized = strings.HasPrefix(text, "["); c.sized {
		var names []string
		if json.Unmarshal([]byte(text), &names) != nil || len(names) < 2 {
			return "", nil, false
		}
		return names[0], names[1:], true
	}
	table, list, found := strings.Cut(text, " ")
	if !found || len(list) < 2 || strings.Contains(list, " ") {
		return "", nil, false
	}
	return table, strings.Split(list[1:len(list)-1], ","), true
}

// sortByRow sorts the changes of one statement by row. The statement may have written the table
// in another order; the order carries no meaning because each entity occurs only once.
func sortByRow(changes []Change) {
	places := make([]uint64, len(changes)) // row number in the high bits, index in the low: sorts three times as fast as changes; no file has 2³² rows
	for i := range changes {
		places[i] = uint64(changes[i].Row)<<32 | uint64(i)
	}
	slices.Sort(places)
	for i := range places {
		places[i] &= 1<<32 - 1
	}
	for i := range changes { // follow each cycle of the permutation
		first, at := changes[i], i
		for from := int(places[at]); from != i; from = int(places[at]) {
			changes[at] = changes[from]
			places[at], at = uint64(at), from
		}
		changes[at], places[at] = first, uint64(at)
	}
}

// parseChange reads one line: the change of one entity.
func (c *captureParser) parseChange(operation string, change *Change) {
	change.Row = c.parseInt(' ')
	change.ID = c.parseID()
	c.parseValues(operation, change)
}

func (c *captureParser) parseID() string {
	if !c.sized {
		return c.readUntil(' ')
	}
	size := c.parseInt(' ')
	if c.err != nil || size < 0 || size >= int64(len(c.rest)) || c.rest[size] != ' ' {
		c.err = cmp.Or(c.err, errCaptureFormat)
		return ""
	}
	id := c.rest[:size]
	c.rest = c.rest[size+1:]
	return id
}

// parseValues reads the fields after row and id; their format depends on the operation.
func (c *captureParser) parseValues(operation string, change *Change) {
	switch operation {
	case "INSERT":
		change.Op, change.Hash, change.Hashed, change.Columns = Created, c.parseInt('\n'), change.Columns, nil
	case "INSERT+":
		change.Op, change.Hash, change.Hashed = Created, c.parseInt(' '), change.Columns
		change.After = c.parseRecord(len(change.Columns), '\n')
	case "DELETE":
		change.Op, change.PrevJob, change.PrevRow = Deleted, c.parseInt(' '), c.parseInt(' ')
		change.Before = c.parseRecord(len(change.Columns), '\n')
	case "UPDATE":
		change.Op, change.PrevJob, change.PrevRow = Updated, c.parseInt(' '), c.parseInt(' ')
		change.Before = c.parseRecord(len(change.Columns), ' ')
		change.Hash = c.parseInt(' ')
		change.After = c.parseRecord(len(change.Columns), '\n')
	default:
		c.err = errCaptureFormat
	}
}

// readUntil reads up to the byte and skips the byte.
func (c *captureParser) readUntil(end byte) string {
	n := strings.IndexByte(c.rest, end)
	if n < 0 {
		c.err, c.rest = cmp.Or(c.err, errCaptureFormat), ""
		return ""
	}
	word := c.rest[:n]
	c.rest = c.rest[n+1:]
	return word
}

func (c *captureParser) parseInt(end byte) int64 {
	n, err := strconv.ParseInt(c.readUntil(end), 10, 64)
	if err != nil && c.err == nil {
		c.err = errCaptureFormat // the error omits the text because it contains values
	}
	return n
}

// parseRecord reads a length, then a record literal of that length with n columns.
func (c *captureParser) parseRecord(n int, end byte) []*string {
	size := c.parseInt(' ')
	if c.err == nil && (size < 0 || size >= int64(len(c.rest)) || c.rest[size] != end) {
		c.err = errCaptureFormat
	}
	if c.err != nil {
		return nil
	}
	values, err := ParseRecord(c.rest[:size], n)
	c.rest, c.err = c.rest[size+1:], err
	return values
}

// merge combines a change with an earlier change of the same entity. The index of entities is
// needed only when a second statement changes the table.
func (c *captureParser) merge(change Change) {
	for ; c.indexed < len(c.changes); c.indexed++ {
		c.index[entityKey{c.changes[c.indexed].Table, c.changes[c.indexed].ID}] = c.indexed
	}
	key := entityKey{change.Table, change.ID}
	place, known := c.index[key]
	if !known {
		c.changes = append(c.changes, change)
		return
	}
	first := &c.changes[place]
	switch {
	case first.Columns != nil && change.Columns != nil && !slices.Equal(first.Columns, change.Columns):
		c.err = errCaptureFormat // a transaction sees one version of a table
	case first.Op == 0:
		*first = change
	case first.Op == Deleted && change.Op == Created && change.After == nil:
		// A different entity has the id now; its values are not known here.
		c.changes = append(c.changes, change)
	case first.Op == Created && change.Op == Updated:
		first.Row, first.Hash = change.Row, change.Hash
		if first.After != nil {
			first.applyNext(&change)
		}
	case first.Op == Created && change.Op == Deleted:
		*first = Change{}
	case first.Op == Updated && change.Op == Updated:
		first.mergeBefore(&change)
		first.Row, first.Hash = change.Row, change.Hash
		first.applyNext(&change)
	case first.Op == Updated && change.Op == Deleted:
		first.mergeBefore(&change)
		first.Op, first.After = Deleted, nil
	case first.Op == Deleted && change.Op == Created:
		first.Op, first.Row, first.After = Updated, change.Row, change.After
	default:
		c.err = fmt.Errorf("an entity of %s was %s, then %s", change.Table, first.Op, change.Op)
	}
}

// hasColumnChange reports whether an update changes a column. An unchanged column is NULL before
// and after.
func (c *Change) hasColumnChange(i int) bool { return c.Before[i] != nil || c.After[i] != nil }

// mergeBefore copies from next the values before of the columns that c does not change.
func (c *Change) mergeBefore(next *Change) {
	for i := range c.Before {
		if !c.hasColumnChange(i) {
			c.Before[i] = next.Before[i]
		}
	}
}

// applyNext copies the values that a later update set.
func (c *Change) applyNext(next *Change) {
	for i := range c.After {
		if next.hasColumnChange(i) {
			c.After[i] = next.After[i]
		}
	}
}

// dropUnchanged removes the columns of an update that have the same value as before.
func (c *Change) dropUnchanged(names *columnInterner) {
	if c.Op != Created {
		c.Hash, c.Hashed = 0, nil
	}
	if c.Op != Updated {
		return
	}
	before, after := c.Before[:0], c.After[:0]
	names.next = names.next[:0]
	for i, name := range c.Columns {
		o, n := c.Before[i], c.After[i]
		if o == nil && n == nil || o != nil && n != nil && *o == *n {
			continue
		}
		names.next, before, after = append(names.next, name), append(before, o), append(after, n)
	}
	c.Columns, c.Before, c.After = names.intern(), before, after
}

// columnInterner shares one list of column names between consecutive changes.
type columnInterner struct{ last, next []string }

// intern returns the names in next, as the previous list if both are equal.
func (s *columnInterner) intern() []string {
	if !slices.Equal(s.last, s.next) {
		s.last = slices.Clone(s.next)
	}
	return s.last
}
