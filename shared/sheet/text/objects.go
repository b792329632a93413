package text

import (
	"bytes"
	"encoding/json"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// objects splits lines of NDJSON: a cell for each key of the header, Empty where
// the object lacks the key or says null.
//
// A line that is not one JSON object, has a key twice, or has characters that no
// text can hold (lone surrogates) is a row with the error BAD_JSON. A value under
// a key that is not in the header is a row with the error ROW_WIDTH, as it would
// be in CSV: it is never dropped silently.
type objects struct {
	header  []string
	index   map[string]int
	collect bool // whether unknown keys join the header
	changed bool // whether the name of a collected one is not the key itself
	columns int
	out     []sheet.Cell
	seen    []bool
	scratch []byte
}

func newObjects(header []string, lim sheet.Limits) *objects {
	o := &objects{
		header: append([]string(nil), header...), columns: lim.Columns,
		index: make(map[string]int, len(header)),
		out:   make([]sheet.Cell, len(header)), seen: make([]bool, len(header)),
	}
	for i, key := range header {
		o.index[key] = i
	}
	return o
}

func (o *objects) cells(row []byte, _ []span) ([]sheet.Cell, problem.Code) {
	clear(o.out)
	clear(o.seen)
	o.scratch = o.scratch[:0]
	row = bytes.Trim(row, " \t\r\n")
	if len(row) == 0 || row[0] != '{' || !json.Valid(row) {
		return nil, problem.BadJSON
	}
	code := o.members(cursor{row, 1})
	return o.out, code
}

// members places the values of an object, which is known to be valid JSON.
func (o *objects) members(c cursor) (code problem.Code) {
	next := 0 // objects mostly have their keys in the header's order
	for c.toMember() {
		key, ok := o.text(c.value())
		if !ok {
			return problem.BadJSON
		}
		cell, ok := o.cell(c.afterColon())
		if !ok {
			return problem.BadJSON
		}
		column, known := o.column(key, next)
		switch {
		case !known && cell.Kind != sheet.Empty:
			code = problem.RowWidth
		case known && o.seen[column]:
			return problem.BadJSON
		case known:
			o.out[column], o.seen[column], next = cell, true, column+1
		}
	}
	return code
}

// column finds the key's column, and makes one while the header is collected.
func (o *objects) column(key []byte, guess int) (place int, known bool) {
	if guess < len(o.header) && o.header[guess] == string(key) {
		return guess, true
	}
	if place, known = o.index[string(key)]; known {
		return place, true
	}
	name, changed := sheet.Name(key)
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
func (o *objects) cell(value []byte) (sheet.Cell, bool) {
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
func (o *objects) text(quoted []byte) ([]byte, bool) {
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
func (o *objects) longest(row []byte, _ []span) int {
	cells, _ := o.cells(row, nil)
	longest := 0
	for i := range cells {
		longest = max(longest, len(cells[i].Bytes))
	}
	return longest
}
