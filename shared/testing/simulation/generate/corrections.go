package generate

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Correction is a person's correction of a field.
type Correction struct {
	Row   int64
	Field string
	Cell  Cell
	Valid bool // valid according to the cell alone
}

// DrawCorrections draws corrections of some open rows, correct or not: of one field per row, the
// failed fields, or all fields. Valid corrections count as saved.
func (h *History) DrawCorrections(r *rand.Rand) (drawn []Correction) {
	g := &generator{Rand: r, Import: h.Import, many: identities}
	for _, row := range h.OpenRows() {
		if g.chance(40) {
			continue
		}
		identity, wholly := h.Records[row-1].identity, g.chance(25)
		for _, c := range h.Columns {
			wrong := slices.Contains(h.openRows[row], c.Field)
			if c.Field == "" || !wholly && !wrong && !g.chance(10) {
				continue
			}
			cell := g.drawCorrection(c, identity)
			drawn = append(drawn, Correction{Row: row, Field: c.Field, Cell: cell, Valid: h.isValid(c.Field, cell)})
		}
	}
	for _, s := range drawn {
		h.saveCorrection(s)
	}
	return drawn
}

// drawCorrection returns the replacement for a cell.
func (g *generator) drawCorrection(c Column, identity int) Cell {
	for {
		cell := g.drawCell(c, identity)
		_, word := g.WordDecisions[strings.TrimSpace(cell.Raw)]
		_, value := g.EntityDecisions[cell.Value]
		switch {
		case c.Order != "":
			return g.correctedDate()
		case (word || value) && (g.isInteractive() || g.WholeFile): // its match was decided elsewhere, or was not
		case cell.Raw == "" && c.Field == "EMAIL": // only the row as a whole requires it
		default:
			return cell
		}
	}
}

func (g *generator) correctedDate() Cell {
	if g.chance(20) {
		return Cell{Raw: "yesterday", Code: "CELL_DATE"}
	}
	day := pickOne(g, "2020-02-29", "2021-12-31")
	return Cell{Raw: day, Value: day}
}

// isValid reports whether a cell is valid for its field.
func (h *History) isValid(field string, c Cell) bool {
	known := h.kind.references[field]
	return c.Code == "" && (known == nil || c.Value == "" || known[strings.ToLower(c.Value)] != "")
}

func (h *History) saveCorrection(c Correction) {
	if !c.Valid {
		return
	}
	if h.corrected[c.Row] == nil {
		h.corrected[c.Row] = make(map[string]Cell)
	}
	h.corrected[c.Row][c.Field], h.correctedSinceRetry[c.Row] = c.Cell, true
}

// Replacement replaces a text that the import has reported as wrong in a field, in all open rows
// that contain it.
type Replacement struct {
	Field, Old string
	New        Cell
	Rows       []int64 // the affected rows
	Valid      bool
}

// DrawReplacement draws a replacement; nil if no open row has such a text. Valid replacements
// count as saved.
func (h *History) DrawReplacement(r *rand.Rand) *Replacement {
	g := &generator{Rand: r, Import: h.Import, many: identities}
	meant := make(map[[2]string][]int64) // by field and text
	columns := make(map[string]Column)
	for _, row := range h.OpenRows() {
		for i, c := range h.Columns {
			if !slices.Contains(h.openRows[row], c.Field) {
				continue
			}
			cell := h.correctedRecord(row).Cells[i]
			if text := cell.displayed(); cell.Code != "" && !h.isKey(c.Field) && text != "" && text == strings.TrimSpace(text) {
				meant[[2]string{c.Field, text}] = append(meant[[2]string{c.Field, text}], row)
				columns[c.Field] = c
			}
		}
	}
	if len(meant) == 0 {
		return nil
	}
	texts := slices.SortedFunc(maps.Keys(meant), func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	which := pickOne(g, texts...)
	a := &Replacement{Field: which[0], Old: which[1], Rows: meant[which], New: g.drawCorrection(columns[which[0]], g.IntN(identities))}
	a.Valid = h.isValid(a.Field, a.New) && a.New.Raw != a.Old
	for _, row := range a.Rows {
		h.saveCorrection(Correction{Row: row, Field: a.Field, Cell: a.New, Valid: a.Valid})
	}
	return a
}

// isKey reports whether a field is one of several that must identify the same entity or person.
func (h *History) isKey(field string) bool {
	switch m := h.modelAfter(h.attempts...).(type) {
	case *tableModel:
		return len(m.keys) > 1 && slices.Contains(m.keys, field)
	case *participantsModel:
		return field == "EMAIL" || field == "REGISTRATION_NUMBER"
	}
	return false
}

func sorted[V any](m map[int64]V) []int64 { return slices.Sorted(maps.Keys(m)) }
