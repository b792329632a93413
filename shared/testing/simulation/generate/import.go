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
	EntityDecisions map[string]int64
	// Words are what a person says about words that a field does not know: one of its
	// own, "" for no value, or Ignore.
	WordDecisions map[string]string
	// Skip says that the person starts the import instead of deciding about
	// values.
	SkipDecisions bool
	// Scattered says that chunks are processed in any order, side by side.
	Unordered bool

	kind *importType
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
	NeedsDecision bool
	// Order is that of most of its dates, if it has any: "dmy" or "mdy".
	Order string
	// Stated says that a person must say the order.
	OrderDecided bool
	// Part says that it is a part of other columns' fields, and nothing by itself.
	IsPart bool
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
	date  *digitDate
	// dressed is what Raw was before the import's mapping was needed to read it, or "".
	undecorated string
}

// text is what the cell is read as.
func (c *Cell) text() string {
	if c.undecorated != "" {
		return c.undecorated
	}
	return c.Raw
}

// displayed is what a person sees of the cell, before any of it is changed for reading.
func (c *Cell) displayed() string {
	if whole := "<" + c.undecorated + ">"; c.Raw == whole {
		return whole
	}
	return c.text()
}

// EntityID is the id of the n-th thing that the organisation has from the start.
func EntityID(organisation tenant.ID, n int64) int64 { return int64(organisation)*100 + n }

// ContextID is the id of the period or event of the organisation.
func ContextID(organisation tenant.ID) int64 { return EntityID(organisation, 1) }

// New makes the import of a seed.
func New(seed uint64) *Import {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x10adba7)), Import: &Import{Seed: seed, EntityDecisions: make(map[string]int64), WordDecisions: make(map[string]string)}}
	g.generate()
	return g.Import
}

// SetupSQL are the statements that put into the database what is there before the
// import; $1 in each is the organisation.
func (m *Import) SetupSQL() []string { return m.kind.model(m).setupSQL() }

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

// RowStates says what happened to a row before it could be written, by its number.
type RowStates func(row int64) RowState

// RowState is a Fate.
type RowState uint8

// What can happen to a row.
const (
	Processed           RowState = iota // its chunk was processed
	NotCommitted                        // its chunk was never committed
	DeadLettered                        // its chunk went to the dead letters
	PlannedOnly                         // its chunk was processed, and taken back: nobody has had that applied
	Approved                            // somebody has, and it ended before the row was written
	DecidedElsewhere                    // it was rehearsed by another chunk, and its own was never committed
	DeadLetteredOnApply                 // somebody has, and its chunk went to the dead letters then
)

// isPlanned reports whether nothing has come of the row but a rehearsal.
func (h RowState) isPlanned() bool { return h == PlannedOnly || h == Approved || h == DecidedElsewhere }

// isUnwritten reports whether what the row does was taken back.
func (h RowState) isUnwritten() bool { return h.isPlanned() || h == DeadLetteredOnApply }

// Expect is what must come of the lines, how many must have each outcome, and
// what the organisation's tables must hold.
func (m *Import) Expect(fate RowStates) ([]checker.Line, job.Counts, []checker.Table) {
	model := m.kind.model(m)
	lines := m.apply(model, m.Records, fate)
	counts := countOutcomes(lines)
	written := m.newAttempt(m.Records, lines, fate)
	m.relax(model, lines)
	return lines, counts, m.modelAfter(written).tables()
}

// relax takes back what is not promised where chunks run side by side.
func (m *Import) relax(model model, lines []checker.Line) {
	if loose, ok := model.(unorderedModel); ok && (m.Unordered || m.isInteractive()) { // rows that wait for an answer come last
		loose.relax(lines)
	}
}

// apply applies records to a model, and returns what must come of each.
func (m *Import) apply(model model, records []Record, fate RowStates) []checker.Line {
	whole, _ := model.(scanningModel)
	naming, _ := model.(keyCountingModel)
	lines := make([]checker.Line, len(records))
	rows := make([]row, len(records))
	for i, r := range records {
		rows[i] = m.decode(r)
		if whole != nil && r.Outcome == job.Pending && rows[i].codes == nil {
			whole.scan(int64(i+1), rows[i])
		}
		if naming != nil && r.Outcome == job.Pending && r.Ragged == 0 {
			naming.countKeys(rows[i])
		}
	}
	for i, r := range records {
		switch {
		case r.Outcome != job.Pending:
			lines[i] = checker.Line{Outcome: r.Outcome}
		case fate(int64(i+1)) == NotCommitted:
			lines[i] = checker.Line{Outcome: job.Pending}
		case fate(int64(i+1)) == DeadLettered:
			lines[i] = checker.Line{Outcome: job.Errored, Codes: []string{Undelivered}}
		case rows[i].codes != nil:
			lines[i] = checker.Line{Outcome: rows[i].outcome, Codes: rows[i].codes}
		default:
			lines[i] = model.apply(int64(i+1), rows[i])
		}
	}
	for i := range lines {
		revertLine(&lines[i], fate(int64(i+1)))
	}
	return lines
}

func countOutcomes(lines []checker.Line) job.Counts {
	outcomes := make([]byte, len(lines))
	for i, l := range lines {
		outcomes[i] = byte(l.Outcome)
	}
	return job.CountOutcomes(outcomes)
}

// row is a row as it must be understood.
type row struct {
	values        map[string]string // by field; "" or absent for none
	outcome       job.Outcome       // if codes is set
	codes         []string          // why it cannot be written
	invalidFields []string          // the fields of which a cell alone shows that
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
		cell, left := m.applyDecision(c.Field, r.Cells[i])
		if left {
			leaves++
		}
		if cell.Code != "" {
			out.codes, out.invalidFields = append(out.codes, cell.Code), append(out.invalidFields, c.Field)
		}
		out.values[c.Field] = cell.Value
	}
	if out.codes == nil && leaves > 0 {
		out.ignoreValues(leaves)
		return out
	}
	if out.codes == nil && m.kind.needsEmail && out.values["EMAIL"] == "" {
		out.codes = []string{"CELL_REQUIRED"}
	}
	if out.codes == nil {
		m.resolveReferences(&out)
	}
	return out
}

// resolveReferences replaces the values that a person was asked about by what was decided.
func (m *Import) resolveReferences(r *row) {
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
		n, answered := m.EntityDecisions[text]
		answered = answered && m.isDecided(field, text)
		if answered = answered && !m.SkipDecisions && !m.AutoStart; answered && n > 0 {
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
		m.Type, m.Mode, m.Format, m.Rows(), m.ChunkRows, m.AutoStart, m.DryRun, m.SkipDecisions, m.SkipMapping, m.Unordered, m.Review, m.Options, m.EntityDecisions, m.WordDecisions, m.Mapping)
	for i, c := range m.Columns {
		fmt.Fprintf(&b, "  column %d %q is %q, asked %v\n", i, c.Header, c.Field, c.NeedsDecision)
	}
	for i, r := range m.Records {
		switch r.Outcome {
		case job.Pending:
			fmt.Fprintf(&b, "  %d %q ragged %d\n", i+1, rawTexts(r), r.Ragged)
		case job.Blank:
			fmt.Fprintf(&b, "  %d blank\n", i+1)
		case job.Header:
			fmt.Fprintf(&b, "  %d header\n", i+1)
		}
	}
	return b.String()
}

func rawTexts(r Record) []string {
	out := make([]string, len(r.Cells))
	for i, c := range r.Cells {
		out[i] = c.Raw
	}
	return out
}
