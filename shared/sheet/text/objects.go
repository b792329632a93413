package text

import (
	"bytes"
	"encoding/json"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// maxDepth is the depth up to which nested objects become columns; a deeper object is one value.
const maxDepth = 8

// objectSplitter splits lines of NDJSON into a cell for each key of the header. The cell is Empty
// if the object lacks the key or its value is null. Values of a nested object have the path of
// keys joined by points as their key: "name.first".
//
// A line that is not one JSON object, has a duplicate key, or contains characters that are
// invalid in text (lone surrogates) is a row with the error BAD_JSON. A value under a key that
// is not in the header is a row with the error ROW_WIDTH, as it would be in CSV: it is never
// dropped silently.
type objectSplitter struct {
	header  []string
	index   map[string]int
	nested  bool // whether nested objects become columns
	collect bool // whether unknown keys are added to the header
	changed bool // whether the name of a collected column differs from its key
	columns int
	out     []sheet.Cell
	seen    []bool
	scratch []byte
	path    []byte         // path of keys to the current value, with a point after each
	next    int            // expected column: objects mostly have their keys in the header's order
	row     int            // number of rows so far
	inner   map[string]int // last row with a nested object at the path
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

// members sets the values of an object, which is valid JSON, and of nested objects up to that
// depth.
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

// member sets one value, or the values within it.
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

// setWholeObject sets an object as one value in the column for plain values at the same path. A
// field mapped to the column reports that it does not accept the object.
func (o *objectSplitter) setWholeObject(value []byte) {
	if column, known := o.index[string(o.path)]; known {
		o.out[column], o.seen[column] = sheet.Cell{Kind: sheet.JSON, Bytes: value}, true
	}
}

// isFirstAt reports whether the row has had no value at the object's path yet.
func (o *objectSplitter) isFirstAt() bool {
	if column, known := o.index[string(o.path)]; known && o.seen[column] || o.inner[string(o.path)] == o.row {
		return false
	}
	o.inner[string(o.path)] = o.row
	return true
}

// setCell sets a value in its column.
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

// column finds the key's column, and adds one while the header is collected.
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

// cell converts a JSON value into a cell.
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

// text returns the content of a JSON string, and false for a lone surrogate.
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

// longest returns the length of the longest value in a complete line; it is unknown for an
// incomplete one.
func (o *objectSplitter) longest(row []byte, _ []span) int {
	cells, _ := o.cells(row, nil)
	longest := 0
	for i := range cells {
		longest = max(longest, len(cells[i].Bytes))
	}
	return longest
}
