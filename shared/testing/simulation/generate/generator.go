package generate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// generator generates one import.
type generator struct {
	*rand.Rand
	*Import
	// sharedIdentities means that several rows are about the same entity. The fewer identities there
	// are, the more often rows share one.
	sharedIdentities bool
	first, many      int
}

func (g *generator) chance(percent int) bool { return g.IntN(100) < percent }

func pickOne[T any](g *generator, choices ...T) T { return choices[g.IntN(len(choices))] }

func (g *generator) generate() {
	g.kind = pickOne(g, importTypes()...)
	g.Type, g.WholeFile, g.InContext = g.kind.name, g.kind.wholeFile, g.kind.inContext
	g.Mode = pickOne(g, g.kind.modes...)
	g.AutoStart = g.chance(40)
	if g.SkipMapping = g.WholeFile && g.chance(40); g.SkipMapping {
		g.AutoStart = true
	}
	g.DryRun = g.chance(7)
	// Whether somebody who starts a roster has already been asked about an unclear row depends on time.
	g.SkipDecisions = g.chance(25) && g.Type != "EVENT_PARTICIPANT"
	g.Unordered = g.chance(70)
	g.ChunkRows = 1 + g.IntN(6)
	if g.DryRun {
		g.ChunkRows = 1000 // duplicates are only found within a chunk
	}
	g.sharedIdentities, g.first, g.many = g.chance(80), g.IntN(6), 1+g.IntN(6)
	if g.DryRun && !g.AutoStart && !g.SkipDecisions {
		g.sharedIdentities = false // nor between rows that are written before a question about a value, and after it
	}
	g.drawColumns()
	g.drawRecords()
	g.drawReview()
	g.resolveDates()
	g.drawEntityDecisions()
	g.drawWordDecisions()
	g.addMapping()
	g.writeFile()
}

// drawColumns draws the file's columns and their order.
func (g *generator) drawColumns() {
	taken := make(map[string]bool)
	for i, c := range g.kind.columns {
		if c.optional && g.chance(35) {
			continue
		}
		column := Column{Header: pickOne(g, c.headers...), Field: c.field}
		if c.dates {
			column.Order = pickOne(g, "dmy", "mdy")
		}
		// A one-shot import uses known columns and ignores the rest.
		if !g.AutoStart && g.chance(12) {
			column.Header, column.NeedsDecision = fmt.Sprintf("Zqx%d", i), true
			if c.optional && g.chance(40) {
				column.Field = ""
			}
		}
		if taken[column.Header] {
			continue
		}
		taken[column.Header] = true
		g.Columns = append(g.Columns, column)
	}
	if g.chance(25) {
		g.Columns = append(g.Columns, Column{Header: "Zqy", NeedsDecision: true})
	}
	g.Shuffle(len(g.Columns), func(i, j int) { g.Columns[i], g.Columns[j] = g.Columns[j], g.Columns[i] })
}

// drawReview draws when the person is asked about columns. A person with decisions must be asked:
// always, unless the cells of the columns require a question.
func (g *generator) drawReview() {
	if g.WholeFile {
		g.nameEmptyColumns()
	}
	if g.AutoStart || g.WholeFile {
		return
	}
	g.Review = pickOne(g, job.ReviewUnsure, job.ReviewUnsure, job.ReviewAlways, job.ReviewNever)
	for i, c := range g.Columns {
		says := c.NeedsDecision && c.Field != ""
		if g.Review == job.ReviewNever && (says || c.Order != "") {
			g.Review = job.ReviewUnsure
		}
		if says && g.Review == job.ReviewUnsure && !g.isMostlyValid(i) {
			g.Review = job.ReviewAlways
		}
	}
	if g.Review == job.ReviewUnsure && slices.ContainsFunc(g.Columns, func(c Column) bool { return c.NeedsDecision && c.Order != "" }) {
		g.Review = job.ReviewAlways
	}
}

// nameEmptyColumns sets known headers for columns without any values: no question is asked about
// them.
func (g *generator) nameEmptyColumns() {
	for i := range g.Columns {
		c := &g.Columns[i]
		if !c.NeedsDecision || c.Field == "" || g.isMostlyValid(i) {
			continue
		}
		for _, known := range g.kind.columns {
			if known.field == c.Field {
				c.Header, c.NeedsDecision = known.headers[0], false
			}
		}
	}
}

// isMostlyValid reports whether a column has values, at least half of which are valid for its
// field.
func (g *generator) isMostlyValid(column int) bool {
	sound, other := 0, 0
	for _, r := range g.Records {
		switch {
		case r.Ragged != 0 || column >= len(r.Cells) || r.Cells[column].Raw == "":
		case r.Cells[column].Code == "":
			sound++
		default:
			other++
		}
	}
	return sound > 0 && sound >= other // empty columns are ignored
}

// identities is the number of entities that the rows are about; existing is the number of those
// that are already in the database.
const identities, existing = 12, 4

// drawRecords draws the lines of the file.
func (g *generator) drawRecords() {
	g.Format = pickOne(g, "csv", "csv", "csv", "csv-utf16", "ndjson", "xlsx")
	if g.Format != "ndjson" {
		g.Records = append(g.Records, Record{Outcome: rowwrite.Header})
	}
	once := g.Perm(identities)
	for range g.IntN(14) {
		switch {
		case g.chance(8):
			g.Records = append(g.Records, Record{Outcome: rowwrite.Blank})
		case g.WholeFile && g.Format != "ndjson" && g.chance(6):
			g.Records = append(g.Records, Record{Outcome: rowwrite.Header})
		case g.sharedIdentities:
			g.Records = append(g.Records, g.drawRecord(g.first+g.IntN(g.many)))
		case len(once) > 0:
			g.Records = append(g.Records, g.drawRecord(once[0]))
			once = once[1:]
		}
	}
	if g.Format == "ndjson" && g.Rows() == 0 { // without a row the file would be empty
		g.Records = append(g.Records, g.drawRecord(once[0]))
	}
	// Whether trailing blank lines count depends on the format.
	for len(g.Records) > 0 && g.Records[len(g.Records)-1].Outcome == rowwrite.Blank {
		g.Records = g.Records[:len(g.Records)-1]
	}
}

// drawRecord draws a row about one of the identities.
func (g *generator) drawRecord(identity int) Record {
	r := Record{Outcome: rowwrite.Pending, identity: identity}
	filled := false
	old := g.existingCell(identity)
	for _, c := range g.Columns {
		cell := g.drawCell(c, identity)
		if v, ok := old[c.Field]; ok {
			cell = Cell{Raw: v, Value: v}
		}
		filled = filled || strings.TrimSpace(cell.Raw) != ""
		r.Cells = append(r.Cells, cell)
	}
	if !filled {
		return Record{Outcome: rowwrite.Blank}
	}
	if strings.HasPrefix(g.Format, "csv") && g.chance(4) {
		r.Ragged = pickOne(g, -1, 1)
		if last := r.Cells[len(r.Cells)-1]; r.Ragged < 0 && strings.TrimSpace(strings.Join(rawTexts(Record{Cells: r.Cells[:len(r.Cells)-1]}), "")) == "" && last.Raw != "" {
			r.Ragged = 1 // removing a cell would leave a blank line
		}
	}
	return r
}

// existingCell sometimes returns the existing values of an identity, as in a repeated file.
func (g *generator) existingCell(identity int) map[string]string {
	model, ok := g.kind.model(g.Import).(existingModel)
	if !ok || identity >= existing || g.chance(50) {
		return nil
	}
	return model.existingValues(identity)
}

// drawCell draws a cell of a column.
func (g *generator) drawCell(c Column, identity int) Cell {
	var choices *columnKind
	for i := range g.kind.columns {
		if g.kind.columns[i].field == c.Field && c.Field != "" {
			choices = &g.kind.columns[i]
		}
	}
	if choices == nil {
		return Cell{Raw: pickOne(g, "", "junk", "17", "a,b")}
	}
	if choices.required && g.chance(3) {
		return Cell{Raw: pickOne(g, "", "  "), Code: required}
	}
	if !choices.required && !choices.filled && g.chance(20) {
		return Cell{}
	}
	if choices.dates {
		return g.dateCell(c)
	}
	cell := choices.cell(g, identity)
	if cell.Code == "" && cell.Raw != "" && g.chance(5) {
		cell.Raw = pickOne(g, " ", "") + cell.Raw + " "
	}
	return cell
}

// drawEntityDecisions draws a person's decisions about unknown values.
func (g *generator) drawEntityDecisions() {
	if len(g.kind.numbered) == 0 {
		return
	}
	for _, value := range append(unknownValues[:], unknownCategory) {
		g.EntityDecisions[value] = int64(g.IntN(len(g.kind.numbered) + 1))
	}
}

// unknownValues are values without a match.
var unknownValues = [...]string{"Veteran", "Social", "Gold+"}

// textCell returns a cell with one of these texts.
func (g *generator) textCell(words ...string) Cell {
	t := pickOne(g, words...)
	return Cell{Raw: t, Value: t}
}

// awkwardText returns a cell with a text that requires care in file formats.
func (g *generator) awkwardText() Cell {
	t := pickOne(g, "Anna", "Zoë Ångström", `say "hi"`, "a,b;c", "two\nlines", "tab\there", "O'Neill", "x|y", "07", "=1+1", "日本", "true")
	return Cell{Raw: t, Value: t}
}

// UnknownValue returns one of the unknown values.
func UnknownValue(n int) string { return unknownValues[n%len(unknownValues)] }
