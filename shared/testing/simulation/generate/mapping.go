package generate

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// maxDecorated is the maximum length in bytes of a text that is decorated: a longer one would not
// fit into a cell afterwards.
const maxDecorated = 30_000

// addMapping adds a mapping to some imports: some columns get unknown headers, and the texts of
// some of these are decorated or split into two columns. The mapping restores the original
// texts, so the expectations do not change.
func (g *generator) addMapping() {
	// A separate random source, so that everything else of a seed stays the same.
	apart := rand.New(rand.NewPCG(g.Seed, 0xd0c))
	if apart.IntN(100) >= 25 {
		return
	}
	var fields []map[string]any
	for i := range g.Columns {
		c := &g.Columns[i]
		if c.Field == "" || apart.IntN(100) >= 40 {
			continue
		}
		c.Header, c.NeedsDecision = "Qzx"+string(rune('a'+i)), false
		field := map[string]any{"field": c.Field, "from": []string{c.Header}}
		switch apart.IntN(3) {
		case 0:
			g.decorate(i)
			field["transforms"] = []map[string]any{{"op": "extract", "pattern": `(?s)^<(.*)>$`, "group": 1}}
		case 1:
			g.splitColumn(apart, i)
			field["from"], field["separator"] = []string{c.Header, c.Header + " 2"}, ""
		}
		fields = append(fields, field)
	}
	if len(fields) == 0 {
		return
	}
	document, err := json.Marshal(map[string]any{"fields": fields})
	if err != nil {
		panic(err) // marshalling texts does not fail
	}
	g.Mapping = string(document)
}

// decorate adds characters around the texts of a column.
func (g *generator) decorate(column int) {
	for i := range g.Records {
		if r := &g.Records[i]; r.Outcome == rowwrite.Pending && r.Cells[column].Raw != "" && len(r.Cells[column].Raw) < maxDecorated {
			c := &r.Cells[column]
			c.Raw, c.undecorated = "<"+c.Raw+">", c.Raw
		}
	}
}

// splitColumn splits the texts of a column in two, the second of which is in its own column at the
// end. No cut is next to a blank, since blanks are trimmed where texts are joined.
func (g *generator) splitColumn(apart *rand.Rand, column int) {
	for i := range g.Records {
		r := &g.Records[i]
		if r.Outcome != rowwrite.Pending {
			continue
		}
		raw := []rune(r.Cells[column].Raw)
		at := len(raw)
		if utf8.ValidString(string(raw)) && len(raw) > 1 {
			if place := 1 + apart.IntN(len(raw)-1); !unicode.IsSpace(raw[place-1]) && !unicode.IsSpace(raw[place]) {
				at = place
			}
		}
		rest := string(raw[at:])
		if strings.HasPrefix(rest, "'") { // would be mistaken for the one that marks text in a formula cell
			at, rest = len(raw), ""
		}
		c := &r.Cells[column]
		c.Raw, c.undecorated = string(raw[:at]), c.Raw
		r.Cells = append(r.Cells, Cell{Raw: rest})
	}
	g.Columns = append(g.Columns, Column{Header: g.Columns[column].Header + " 2", IsPart: true})
}
