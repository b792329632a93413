package text

import (
	"bytes"
	"encoding/json"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// maxDepth is how many objects within objects become columns of their own; what is
// deeper stays one value.
const maxDepth = 8

// objectSplitter splits lines of NDJSON: a cell for each key of the header, Empty where
// the object lacks the key or says null. What is in an object within the object is under
// the keys on the way to it, with points between: "name.first".
//
// A line that is not one JSON object, has a key twice, or has characters that no
// text can hold (lone surrogates) is a row with the error BAD_JSON. A value under
// a key that is not in the header is a row with the error ROW_WIDTH, as it would
// be in CSV: it is never dropped silently.
type objectSplitter struct {
	header  []string
	index   map[string]int
	nested  bool // whether objects within objects are columns
	collect bool // whether unknown keys join the header
	changed bool // whether the name of a collected one is not the key itself
	columns int
	out     []sheet.Cell
	seen    []bool
	scratch []byte
	path    []byte         // the keys on the way to what is read, with a point behind each
	next    int            // objects mostly have their keys in the header's order
	row     int            // how many there have been
	inner   map[string]int // in which row an object within objects was last at that path
}

func newObjects(header []string, nested bool, lim sheet.Limits) *objectSplitter {
	o := &objectSplitter{
		nested: nested, inner: map[string]int{},
		header: append([]string(nil), header...), columns: lim.Columns,
		index: make(map[string]int, len(header)),
		out:   make([]sheet.Cell, len(header)), seen: make([]bool, len(header)),
	}
	for i, key := range header {
		o.index[key] = i
	}
	return o
}

func (o *objectSplitter) cells(row []byte, _ []span) ([]sheet.Cell, problem.Code) {
	clear(o.out)
	clear(o.seen)
	o.scratch = o.scratch[:0]
	row = bytes.Trim(row, " \t\r\n")
	if len(row) == 0 || row[0] != '{' || !json.Valid(row) {
		return nil, problem.BadJSON
	}
	o.path, o.next, o.row = o.path[:0], 0, o.row+1
	if len(o.inner) > o.columns {
		clear(o.inner)
	}
	code := o.members(jsonCursor{row, 1}, maxDepth)
	return o.out, code
}

// members places the values of an object, which is known to be valid JSON, and those of
// objects in it, as deep as that.
func (o *objectSplitter) members(c jsonCursor, depth int) (code problem.Code) {
	for c.toMember() {
		key, ok := o.text(c.value())
		if !ok {
			return problem.BadJSON
		}
		switch wrong := o.member(key, c.afterColon(), depth); wrong {
		case problem.BadJSON:
			return wrong
		case problem.RowWidth:
			code = wrong
		}
	}
	return code
}

// member places one value, or those within it.
func (o *objectSplitter) member(key, value []byte, depth int) problem.Code {
	inner := o.nested && value[0] == '{' && depth > 0
	if len(o.path) == 0 && !inner {
		return o.setCell(key, value)
	}
	above := len(o.path)
	o.path = append(o.path, key...)
	code := problem.BadJSON
	switch {
	case !inner:
		code = o.setCell(o.path, value)
	case o.isFirstAt():
		o.setWholeObject(value)
		o.path = append(o.path, '.')
		code = o.members(jsonCursor{value, 1}, depth-1)
	}
	o.path = o.path[:above]
	return code
}

// setWholeObject puts an object as one value into the column that other rows have a plain value in
// at the path: a field that takes the plain ones says that it does not take this one.
func (o *objectSplitter) setWholeObject(value []byte) {
	if column, known := o.index[string(o.path)]; known {
		o.out[column], o.seen[column] = sheet.Cell{Kind: sheet.JSON, Bytes: value}, true
	}
}

// isFirstAt reports whether nothing in the row has been at the path yet, where an object is.
func (o *objectSplitter) isFirstAt() bool {
	if column, known := o.index[string(o.path)]; known && o.seen[column] || o.inner[string(o.path)] == o.row {
		return false
	}
	o.inner[string(o.path)] = o.row
	return true
}

// setCell puts a value into its column.
func (o *objectSplitter) setCell(key, value []byte) problem.Code {
	cell, ok := o.cell(value)
	if !ok {
		return problem.BadJSON
	}
	column, known := o.column(key, o.next)
	switch {
	case !known && cell.Kind != sheet.Empty:
		return problem.RowWidth
	case known && o.seen[column], len(o.inner) > 0 && o.inner[string(key)] == o.row:
		return problem.BadJSON
	case known:
		o.out[column], o.seen[column], o.next = cell, true, column+1
	}
	return ""
}

// column finds the key's column, and makes one while the header is collected.
func (o *objectSplitter) column(key []byte, guess int) (place int, known bool) {
	if guess < len(o.header) && o.header[guess] == string(key) {
		return guess, true
	}
	if place, known = o.index[string(key)]; known {
		return place, true
	}
	name, changed := sheet.CleanName(key)
	if place, known = o.index[name]; known || !o.collect || len(o.header) > o.columns {
		return place, known
	}
	place = len(o.header)
	o.header, o.changed = append(o.header, name), o.changed || changed
	o.index[name] = place
	o.out, o.seen = append(o.out, sheet.Cell{}), append(o.seen, false)
	return place, true
}

// cell turns a JSON value into a cell.
func (o *objectSplitter) cell(value []byte) (sheet.Cell, bool) {
	switch value[0] {
	case '"':
		b, ok := o.text(value)
		if len(b) == 0 {
			return sheet.Cell{}, ok
		}
		return sheet.Cell{Kind: sheet.Text, Bytes: b}, ok
	case '{', '[':
		return sheet.Cell{Kind: sheet.JSON, Bytes: value}, true
	case 't', 'f':
		return sheet.Cell{Kind: sheet.Bool, Bytes: value}, true
	case 'n':
		return sheet.Cell{}, true
	}
	return sheet.Cell{Kind: sheet.Number, Bytes: value}, true
}

// text is the content of a JSON string; it is false for a lone surrogate.
func (o *objectSplitter) text(quoted []byte) ([]byte, bool) {
	b := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(b, '\\') < 0 {
		return b, true
	}
	begin := len(o.scratch)
	var ok bool
	o.scratch, ok = unescapeJSON(o.scratch, b)
	return o.scratch[begin:len(o.scratch):len(o.scratch)], ok
}

// longest is the length of the longest value in a line that is whole; of a
// beginning nothing is known.
func (o *objectSplitter) longest(row []byte, _ []span) int {
	cells, _ := o.cells(row, nil)
	longest := 0
	for i := range cells {
		longest = max(longest, len(cells[i].Bytes))
	}
	return longest
}
