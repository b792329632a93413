package generate

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
)

// Correction is what a person says that a field of a row is to be read as.
type Correction struct {
	Row   int64
	Field string
	Cell  Cell
	Kept  bool // it is valid, as far as the cell itself shows
}

// Corrections draws what a person says of some open rows, rightly or wrongly: of each of
// them one field, those that were wrong, or all. What is valid counts as kept.
func (h *History) Corrections(r *rand.Rand) (said []Correction) {
	g := &generator{Rand: r, Import: h.Import, many: identities}
	for _, row := range h.Open() {
		if g.chance(40) {
			continue
		}
		identity, wholly := h.Records[row-1].identity, g.chance(25)
		for _, c := range h.Columns {
			wrong := slices.Contains(h.open[row], c.Field)
			if c.Field == "" || !wholly && !wrong && !g.chance(10) {
				continue
			}
			cell := g.correction(c, identity)
			said = append(said, Correction{Row: row, Field: c.Field, Cell: cell, Kept: h.valid(c.Field, cell)})
		}
	}
	for _, s := range said {
		h.keep(s)
	}
	return said
}

// correction is what a person writes in the place of a cell.
func (g *generator) correction(c Column, identity int) Cell {
	for {
		cell := g.cell(c, identity)
		_, word := g.Words[strings.TrimSpace(cell.Raw)]
		_, value := g.Values[cell.Value]
		switch {
		case c.Order != "":
			return g.day()
		case (word || value) && (g.asks() || g.WholeFile): // what it stands for was decided, or was not, elsewhere
		case cell.Raw == "" && c.Field == "EMAIL": // which only the row as a whole lacks
		default:
			return cell
		}
	}
}

func (g *generator) day() Cell {
	if g.chance(20) {
		return Cell{Raw: "yesterday", Code: "CELL_DATE"}
	}
	day := one(g, "2020-02-29", "2021-12-31")
	return Cell{Raw: day, Value: day}
}

// valid reports whether a cell is what its field takes.
func (h *History) valid(field string, c Cell) bool {
	known := h.kind.references[field]
	return c.Code == "" && (known == nil || c.Value == "" || known[strings.ToLower(c.Value)] != "")
}

func (h *History) keep(c Correction) {
	if !c.Kept {
		return
	}
	if h.corrected[c.Row] == nil {
		h.corrected[c.Row] = make(map[string]Cell)
	}
	h.corrected[c.Row][c.Field], h.fresh[c.Row] = c.Cell, true
}

// Alike is a text that a person changes wherever a field of an open row has it, of which
// the import has said that it is wrong.
type Alike struct {
	Field, Old string
	New        Cell
	Rows       []int64 // those that are meant
	Kept       bool
}

// Alike draws one; nil where no open row has such a text. What is valid counts as kept.
func (h *History) Alike(r *rand.Rand) *Alike {
	g := &generator{Rand: r, Import: h.Import, many: identities}
	meant := make(map[[2]string][]int64) // by field and text
	columns := make(map[string]Column)
	for _, row := range h.Open() {
		for i, c := range h.Columns {
			if !slices.Contains(h.open[row], c.Field) {
				continue
			}
			cell := h.record(row).Cells[i]
			if text := cell.stands(); cell.Code != "" && !h.isKey(c.Field) && text != "" && text == strings.TrimSpace(text) {
				meant[[2]string{c.Field, text}] = append(meant[[2]string{c.Field, text}], row)
				columns[c.Field] = c
			}
		}
	}
	if len(meant) == 0 {
		return nil
	}
	texts := slices.SortedFunc(maps.Keys(meant), func(a, b [2]string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	which := one(g, texts...)
	a := &Alike{Field: which[0], Old: which[1], Rows: meant[which], New: g.correction(columns[which[0]], g.IntN(identities))}
	a.Kept = h.valid(a.Field, a.New) && a.New.Raw != a.Old
	for _, row := range a.Rows {
		h.keep(Correction{Row: row, Field: a.Field, Cell: a.New, Kept: a.Kept})
	}
	return a
}

// isKey reports whether a field is one of several that must name the same thing.
func (h *History) isKey(field string) bool {
	t, ok := h.after(h.attempts...).(*tableModel)
	return ok && len(t.keys) > 1 && slices.Contains(t.keys, field)
}

func sorted[V any](m map[int64]V) []int64 { return slices.Sorted(maps.Keys(m)) }
