package text

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// textFormat distinguishes NDJSON from CSV. A text that begins with a brace is NDJSON if one of its
// first lines is an object.
func textFormat(text []byte, whole bool) (sheet.Format, error) {
	trimmed := bytes.TrimSpace(text)
	if rest, ok := bytes.CutPrefix(trimmed, []byte("[")); ok && (json.Valid(trimmed) || opensObject(rest)) {
		return "", problem.New(problem.UnsupportedFormat,
			"This is a JSON array. Save it as NDJSON, with one object per line, or as CSV.")
	}
	body, ok := bytes.CutPrefix(trimmed, []byte("{"))
	if !ok {
		return sheet.CSV, nil
	}
	for line := range bytes.Lines(trimmed) {
		if line = bytes.TrimSpace(line); len(line) > 0 && line[0] == '{' && json.Valid(line) {
			return sheet.NDJSON, nil
		}
	}
	if opensKey(body) {
		if !whole && bytes.IndexByte(trimmed, '\n') < 0 {
			return sheet.NDJSON, nil // the first line is longer than the sample
		}
		return "", problem.New(problem.UnsupportedFormat,
			"This is a JSON document. Save it as NDJSON, with one object per line, or as CSV.")
	}
	return sheet.CSV, nil
}

func opensObject(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == '{' && opensKey(b[1:])
}

func opensKey(b []byte) bool {
	b = bytes.TrimLeft(b, " \t\r\n")
	return len(b) > 0 && b[0] == '"'
}

// detectNDJSON collects the keys of all objects. In the order of their first occurrence, they are
// the header. It reads the whole file: programs omit keys without a value, so that a key may first
// occur in the last object.
func detectNDJSON(ctx context.Context, d *sheet.Dialect, src sheet.Source, opt sheet.Options, lim sheet.Limits) error {
	d.DataOffset = int64(d.BOM)
	d.LineEnd = "\n"
	d.DateOrder, d.DecimalMark = opt.DateOrder, opt.DecimalMark
	s, err := newSection(src, d, d.DataOffset, lim)
	if err != nil {
		return err
	}
	d.Nested = true
	o := newObjects(nil, d.Nested, lim)
	o.collect = true
	s.measure = o
	r := &rows{ctx: ctx, scan: s, split: o, limit: lim.Rows}
	var sample sheet.Sample // its limits apply to the beginning of the file
	for len(o.header) <= lim.Columns && r.Next() {
		if opt.OnlyBeginning && !sample.Add(&r.row) {
			break
		}
	}
	if r.err != nil {
		return r.err
	}
	if r.counts.Rows == 0 {
		return emptyFileError()
	}
	if len(o.header) > lim.Columns {
		return problem.New(problem.TooManyColumns, "The objects have more than %d different keys.", lim.Columns)
	}
	d.SetHeader(sheet.Header{Names: o.header, Changed: o.changed})
	return nil
}
