// Package generate generates imports from a seed: what is in the database, a file, what
// a person decides, and the expected outcome of every one of its rows.
//
// The expectations come from models, one per type: plain maps to which the rows
// are applied one by one in file order. They share nothing with the product's
// decoding and writing: a cell is made together with the value that it stands for,
// or the code of what is wrong with it.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// Import is one import that was made up.
type Import struct {
	Seed      uint64
	Type      string
	Mode      job.WriteMode
	AutoStart bool
	// Review is when the person is asked about columns; "" where nobody is asked.
	Review    job.Review
	WholeFile bool
	// SkipMapping says that the import of a whole file asks nobody and applies nothing.
	SkipMapping bool
	DryRun      bool
	// InContext says that the import belongs to what has the number that Context
	// returns: a period or an event.
	InContext bool
	ChunkRows int // a chunk, or a part of a whole file
	Format    string
	Filename  string
	Options   string // JSON
	File      []byte
	Mapping   string // the mapping document that comes with it, or ""
	Columns   []Column
	Records   []Record
	// Values are what a person says about values that nobody knows: the number of
	// what a value stands for (see Number), or 0 for "leave its rows out".
	Values map[string]int64
	// Words are what a person says about words that a field does not know: one of its
	// own, "" for no value, or LeaveOut.
	Words map[string]string
	// Skip says that the person starts the import instead of deciding about
	// values.
	Skip bool
	// Scattered says that chunks are processed in any order, side by side.
	Scattered bool

	kind *kind
	// decided are the values that somebody was asked about and has decided, by field; nil
	// for all that nobody knows.
	decided map[string]map[string]bool
}

// Column is a column of the file.
type Column struct {
	Header string
	// Field is what it is; "" for one that is to be left out.
	Field string
	// Asked says that a person must say so.
	Asked bool
	// Order is that of most of its dates, if it has any: "dmy" or "mdy".
	Order string
	// Stated says that a person must say the order.
	Stated bool
	// Part says that it is a part of other columns' fields, and nothing by itself.
	Part bool
}

// Record is one line of the file, as rows are numbered.
type Record struct {
	Outcome job.Outcome // Header, Blank or, for a row, Pending
	Cells   []Cell      // one a column
	Ragged  int         // cells that are missing (-) or too many (+)

	identity int // which of the things that rows are about
}

// Cell is the content of a cell.
type Cell struct {
	Raw   string
	Value string // what it stands for; "" for nothing
	Code  string // what is wrong with it, or ""
	date  *written
	// dressed is what Raw was before the import's mapping was needed to read it, or "".
	dressed string
}

// text is what the cell is read as.
func (c *Cell) text() string {
	if c.dressed != "" {
		return c.dressed
	}
	return c.Raw
}

// stands is what a person sees of the cell, before any of it is changed for reading.
func (c *Cell) stands() string {
	if whole := "<" + c.dressed + ">"; c.Raw == whole {
		return whole
	}
	return c.text()
}

// Number is the id of the n-th thing that the organisation has from the start.
func Number(organisation tenant.ID, n int64) int64 { return int64(organisation)*100 + n }

// Context is the id of the period or event of the organisation.
func Context(organisation tenant.ID) int64 { return Number(organisation, 1) }

// Make makes the import of a seed.
func Make(seed uint64) *Import {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x10adba7)), Import: &Import{Seed: seed, Values: make(map[string]int64), Words: make(map[string]string)}}
	g.make()
	return g.Import
}

// Prepare are the statements that put into the database what is there before the
// import; $1 in each is the organisation.
func (m *Import) Prepare() []string { return m.kind.model(m).prepare() }

// Rows is the number of the file's rows with data.
func (m *Import) Rows() int {
	n := 0
	for _, r := range m.Records {
		if r.Outcome == job.Pending {
			n++
		}
	}
	return n
}

// Undelivered is the code of rows that were given up.
const Undelivered = "ROW_UNDELIVERED"

// Fate says what happened to a row before it could be written, by its number.
type Fate func(row int64) Happened

// Happened is a Fate.
type Happened uint8

// What can happen to a row.
const (
	Taken     Happened = iota // its chunk was processed
	Left                      // its chunk was never committed
	GivenUp                   // its chunk went to the dead letters
	Rehearsed                 // its chunk was processed, and taken back: nobody has had that applied
	Planned                   // somebody has, and it ended before the row was written
	Elsewhere                 // it was rehearsed by another chunk, and its own was never committed
	Lost                      // somebody has, and its chunk went to the dead letters then
)

// undecided reports whether nothing has come of the row but a rehearsal.
func (h Happened) undecided() bool { return h == Rehearsed || h == Planned || h == Elsewhere }

// unwritten reports whether what the row does was taken back.
func (h Happened) unwritten() bool { return h.undecided() || h == Lost }

// Expected is what must come of the lines, how many must have each outcome, and
// what the organisation's tables must hold.
func (m *Import) Expected(fate Fate) ([]checker.Line, job.Counts, []checker.Table) {
	model := m.kind.model(m)
	lines := m.apply(model, m.Records, fate)
	counts := tally(lines)
	written := m.attempt(m.Records, lines, fate)
	m.loosen(model, lines)
	return lines, counts, m.after(written).tables()
}

// loosen takes back what is not promised where chunks run side by side.
func (m *Import) loosen(model model, lines []checker.Line) {
	if loose, ok := model.(looseModel); ok && (m.Scattered || m.asks()) { // rows that wait for an answer come last
		loose.loosen(lines)
	}
}

// apply applies records to a model, and returns what must come of each.
func (m *Import) apply(model model, records []Record, fate Fate) []checker.Line {
	whole, _ := model.(wholeModel)
	naming, _ := model.(namingModel)
	lines := make([]checker.Line, len(records))
	rows := make([]row, len(records))
	for i, r := range records {
		rows[i] = m.decode(r)
		if whole != nil && r.Outcome == job.Pending && rows[i].codes == nil {
			whole.look(int64(i+1), rows[i])
		}
		if naming != nil && r.Outcome == job.Pending && r.Ragged == 0 {
			naming.show(rows[i])
		}
	}
	for i, r := range records {
		switch {
		case r.Outcome != job.Pending:
			lines[i] = checker.Line{Outcome: r.Outcome}
		case fate(int64(i+1)) == Left:
			lines[i] = checker.Line{Outcome: job.Pending}
		case fate(int64(i+1)) == GivenUp:
			lines[i] = checker.Line{Outcome: job.Errored, Codes: []string{Undelivered}}
		case rows[i].codes != nil:
			lines[i] = checker.Line{Outcome: rows[i].outcome, Codes: rows[i].codes}
		default:
			lines[i] = model.apply(int64(i+1), rows[i])
		}
	}
	for i := range lines {
		takeBack(&lines[i], fate(int64(i+1)))
	}
	return lines
}

func tally(lines []checker.Line) job.Counts {
	outcomes := make([]byte, len(lines))
	for i, l := range lines {
		outcomes[i] = byte(l.Outcome)
	}
	return job.Count(outcomes)
}

// row is a row as it must be understood.
type row struct {
	values  map[string]string // by field; "" or absent for none
	outcome job.Outcome       // if codes is set
	codes   []string          // why it cannot be written
	wrong   []string          // the fields of which a cell alone shows that
}

// decode puts a record's cells together.
func (m *Import) decode(r Record) row {
	out := row{values: make(map[string]string), outcome: job.Errored}
	if r.Outcome != job.Pending {
		return out
	}
	if r.Ragged != 0 {
		out.codes = []string{"ROW_WIDTH"}
		return out
	}
	leaves := 0
	for i, c := range m.Columns {
		if c.Field == "" {
			continue
		}
		cell, left := m.settle(c.Field, r.Cells[i])
		if left {
			leaves++
		}
		if cell.Code != "" {
			out.codes, out.wrong = append(out.codes, cell.Code), append(out.wrong, c.Field)
		}
		out.values[c.Field] = cell.Value
	}
	if out.codes == nil && leaves > 0 {
		out.leaveOut(leaves)
		return out
	}
	if out.codes == nil && m.kind.person && out.values["EMAIL"] == "" {
		out.codes = []string{"CELL_REQUIRED"}
	}
	if out.codes == nil {
		m.refer(&out)
	}
	return out
}

// refer replaces the values that a person was asked about by what was decided.
func (m *Import) refer(r *row) {
	ignored := false
	var codes []string
	for field, known := range m.kind.references {
		text := r.values[field]
		if text == "" {
			continue
		}
		if name, ok := known[strings.ToLower(text)]; ok {
			r.values[field] = name
			continue
		}
		n, answered := m.Values[text]
		answered = answered && m.said(field, text)
		if answered = answered && !m.Skip && !m.AutoStart; answered && n > 0 {
			r.values[field] = m.kind.numbered[n]
			continue
		}
		ignored = ignored || answered
		codes = append(codes, "CELL_UNRESOLVED")
	}
	if codes == nil {
		return
	}
	if r.codes = codes; ignored {
		r.outcome = job.Skipped
	}
}

// String describes the import as briefly as can be.
func (m *Import) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, %d rows, %d a chunk), auto %v, dry %v, skip %v, past the phases %v, scattered %v, review %q, options %s, answers %v %v, mapping %s\n",
		m.Type, m.Mode, m.Format, m.Rows(), m.ChunkRows, m.AutoStart, m.DryRun, m.Skip, m.SkipMapping, m.Scattered, m.Review, m.Options, m.Values, m.Words, m.Mapping)
	for i, c := range m.Columns {
		fmt.Fprintf(&b, "  column %d %q is %q, asked %v\n", i, c.Header, c.Field, c.Asked)
	}
	for i, r := range m.Records {
		switch r.Outcome {
		case job.Pending:
			fmt.Fprintf(&b, "  %d %q ragged %d\n", i+1, raws(r), r.Ragged)
		case job.Blank:
			fmt.Fprintf(&b, "  %d blank\n", i+1)
		case job.Header:
			fmt.Fprintf(&b, "  %d header\n", i+1)
		}
	}
	return b.String()
}

func raws(r Record) []string {
	out := make([]string, len(r.Cells))
	for i, c := range r.Cells {
		out[i] = c.Raw
	}
	return out
}
