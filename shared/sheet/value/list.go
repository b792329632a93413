package value

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// listSeparators separate the entries of a list in one cell: the first one, which hardly ever
// occurs within entries, or else the others.
const listSeparators = "|,;"

// List returns the cell as a list of texts, in the form of a PostgreSQL array literal. The cell
// contains entries separated by "|" or, if there is none, by commas and semicolons; or a JSON
// array of texts, as for lists in NDJSON. Surrounding white space of entries is removed, and
// empty entries are omitted. A JSON array with anything but texts is CELL_LIST, and so is an
// object of NDJSON.
func (d *Decoder) List(c sheet.Cell) ([]byte, problem.Code) { return d.ListBy(c, "") }

// ListBy is List for entries that are separated by another text; "" for the usual ones.
func (d *Decoder) ListBy(c sheet.Cell, separator string) ([]byte, problem.Code) {
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
	switch isJSON := b[0] == '[' && json.Valid(b); {
	case !isJSON && separator != "":
		for entry := range bytes.SplitSeq(b, []byte(separator)) {
			d.appendEntry(entry)
		}
	case !isJSON:
		marks := listSeparators[:1]
		if bytes.IndexByte(b, marks[0]) < 0 {
			marks = listSeparators[1:]
		}
		for entry := range bytes.FieldsFuncSeq(b, func(r rune) bool { return strings.ContainsRune(marks, r) }) {
			d.appendEntry(entry)
		}
	default:
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

// appendEntry appends a quoted entry of a list; quotes allow any content.
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
