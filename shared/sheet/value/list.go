package value

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// listSeparators may stand between the entries of a list in one cell: the first of
// them, which hardly any entry has in it, or else the others.
const listSeparators = "|,;"

// List is the cell as a list of texts, in the form of an array literal of
// PostgreSQL: entries with "|" between them, or where there is none with commas
// and semicolons; or a JSON array of texts, which is also what a list in NDJSON
// is. Entries lose the white space around them; empty ones are left out. A JSON
// array with anything but texts is CELL_LIST, and so is an object of NDJSON.
func (d *Decoder) List(c sheet.Cell) ([]byte, problem.Code) {
	if c.Kind == sheet.JSON {
		if len(c.Bytes) == 0 || c.Bytes[0] != '[' {
			return nil, problem.CellList
		}
		c.Kind = sheet.Text
	}
	b, code := d.trimmedText(c)
	if code != "" {
		return nil, code
	}
	d.list = append(d.list[:0], '{')
	if b[0] != '[' || !json.Valid(b) {
		marks := listSeparators[:1]
		if bytes.IndexByte(b, marks[0]) < 0 {
			marks = listSeparators[1:]
		}
		for entry := range bytes.FieldsFuncSeq(b, func(r rune) bool { return strings.ContainsRune(marks, r) }) {
			d.appendEntry(entry)
		}
	} else {
		var entries []*string
		if err := json.Unmarshal(b, &entries); err != nil {
			return nil, problem.CellList
		}
		for _, e := range entries {
			if e == nil {
				return nil, problem.CellList
			}
			if bytes.IndexByte([]byte(*e), 0) >= 0 {
				return nil, problem.CellNUL
			}
			d.appendEntry([]byte(*e))
		}
	}
	d.list = append(d.list, '}')
	return d.list, ""
}

// appendEntry appends an entry of a list in quotes, with which it may hold anything.
//
// https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO
func (d *Decoder) appendEntry(b []byte) {
	if b = trimSpace(b); len(b) == 0 {
		return
	}
	if len(d.list) > 1 {
		d.list = append(d.list, ',')
	}
	d.list = append(d.list, '"')
	for _, c := range b {
		if c == '"' || c == '\\' {
			d.list = append(d.list, '\\')
		}
		d.list = append(d.list, c)
	}
	d.list = append(d.list, '"')
}
