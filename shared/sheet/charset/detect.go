package charset

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// certainMargin is the minimum log-likelihood margin over the next reading for a certain
// detection: the reading is more probable by a factor of e to this.
const certainMargin = 6.0

// Detect determines the encoding of the evidence. It is windows-1252 if no encoding can decode
// all of it.
func (e *Evidence) Detect() Detection {
	var readings []reading
	for i := range tables {
		t := &tables[i]
		if t.script == notDetected {
			continue
		}
		b, err := t.encoding.NewDecoder().Bytes(e.lines)
		if text := string(b); err == nil && !strings.ContainsRune(text, utf8.RuneError) {
			r := reading{table: t, text: text}
			r.computeCost()
			readings = append(readings, r)
		}
	}
	if len(readings) == 0 {
		return Detection{Name: tables[0].name, Unsure: true}
	}
	slices.SortStableFunc(readings, func(a, b reading) int { return cmp.Compare(a.cost, b.cost) })
	v := chooseReading(readings)
	if v.Alternative != "" {
		v.findExample(e.lines)
	}
	return v
}

// chooseReading selects the first of the readings, which are sorted by cost.
func chooseReading(readings []reading) Detection {
	best := readings[0]
	first := slices.IndexFunc(tables, func(t table) bool { return t.name == best.table.name })
	for _, r := range readings[1:] {
		at := slices.IndexFunc(tables, func(t table) bool { return t.name == r.table.name })
		if r.text == best.text && at < first && r.cost-best.cost < certainMargin {
			best.table, first = r.table, at
		}
	}
	v := Detection{Name: best.table.name}
	for _, r := range readings[1:] {
		if r.text != best.text {
			v.Alternative, v.margin = r.table.name, r.cost-readings[0].cost
			v.Unsure = v.margin < certainMargin
			break
		}
	}
	return v
}
