// Package generate generates imports from a seed: the initial database, a file, the decisions of
// a person, and the expected outcome of every row.
//
// The expectations come from models, one per type: plain maps to which the rows are applied one
// by one in file order. They share nothing with the product's decoding and writing: a cell is
// generated together with its value or its error code.
package generate

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/testing/checker"
)

// Import is a generated import.
type Import struct {
	Seed      uint64
	Type      string
	Mode      rowwrite.Mode
	AutoStart bool
	// Review is when the person is asked about columns; "" if never.
	Review    job.Review
	WholeFile bool
	// SkipMapping means that a whole-file import asks no questions and applies no mapping.
	SkipMapping bool
	DryRun      bool
	// InContext means that the import belongs to the period or event with the id from ContextID.
	InContext bool
	ChunkRows int // of a chunk, or of a part of a whole file
	Format    string
	Filename  string
	Options   string // JSON
	File      []byte
	Mapping   string // the mapping document sent with it, or ""
	Columns   []Column
	Records   []Record
	// EntityDecisions are a person's decisions about unknown values: the number of the matched entity
	// (see EntityID), or 0 to skip its rows.
	EntityDecisions map[string]int64
	// WordDecisions are a person's decisions about unknown words: one of the field's words, "" for no
	// value, or Ignore.
	WordDecisions map[string]string
	// SkipDecisions means that the person starts the import instead of deciding about values.
	SkipDecisions bool
	// Unordered means that chunks are processed concurrently, in any order.
	Unordered bool

	kind *importType
	// decided contains the values that have been asked about and decided, by field; nil means all
	// unknown values.
	decided map[string]map[string]bool
}

// Column is a column of the file.
type Column struct {
	Header string
	// Field is the field of the column; "" for an ignored column.
	Field string
	// NeedsDecision means that a person must map the column.
	NeedsDecision bool
	// Order is the order of most dates in the column, if it has any: "dmy" or "mdy".
	Order string
	// OrderDecided means that a person must set the order.
	OrderDecided bool
	// IsPart means that the column is a part of other columns' fields, and not a field itself.
	IsPart bool
}

// Record is one line of the file, as numbered for rows.
type Record struct {
	Outcome rowwrite.Outcome // Header, Blank or, for a row, Pending
	Cells   []Cell           // one per column
	Ragged  int              // number of missing (-) or additional (+) cells

	identity int // identity of the entity that the row is about
}

// Cell is the content of a cell.
type Cell struct {
	Raw   string
	Value string // expected value; "" for none
	Code  string // expected error, or ""
	date  *digitDate
	// undecorated is Raw before it was changed for the import's mapping, or "".
	undecorated string
}

// text returns the text from which the cell is read.
func (c *Cell) text() string {
	if c.undecorated != "" {
		return c.undecorated
	}
	return c.Raw
}

// displayed returns the cell as a person sees it, before any mapping.
func (c *Cell) displayed() string {
	if whole := "<" + c.undecorated + ">"; c.Raw == whole {
		return whole
	}
	return c.text()
}

// EntityID returns the id of the n-th initial entity of the organisation.
func EntityID(organisation tenant.ID, n int64) int64 { return int64(organisation)*100 + n }

// ContextID returns the id of the organisation's period or event.
func ContextID(organisation tenant.ID) int64 { return EntityID(organisation, 1) }

// New generates the import of a seed.
func New(seed uint64) *Import {
	g := &generator{Rand: rand.New(rand.NewPCG(seed, 0x10adba7)), Import: &Import{Seed: seed, EntityDecisions: make(map[string]int64), WordDecisions: make(map[string]string)}}
	g.generate()
	return g.Import
}

// SetupSQL returns the statements that create the initial data; $1 in each is the organisation.
func (m *Import) SetupSQL() []string { return m.kind.model(m).setupSQL() }

// Rows returns the number of the file's rows with data.
func (m *Import) Rows() int {
	n := 0
	for _, r := range m.Records {
		if r.Outcome == rowwrite.Pending {
			n++
		}
	}
	return n
}

// Undelivered is the error code of rows in a chunk that became a dead letter.
const Undelivered = "ROW_UNDELIVERED"

// RowStates returns the state of a row by its number.
type RowStates func(row int64) RowState

// RowState is the processing state of a row.
type RowState uint8

// The states of a row.
const (
	Processed           RowState = iota // its chunk was processed
	NotCommitted                        // its chunk was never committed
	DeadLettered                        // its chunk became a dead letter
	PlannedOnly                         // its chunk was planned, and the plan has not been applied
	Approved                            // the plan was approved, and ended before the row was written
	DecidedElsewhere                    // another chunk has planned it, and its own was never committed
	DeadLetteredOnApply                 // its chunk became a dead letter while the approved plan was applied
)

// isPlanned reports whether the row was only planned.
func (h RowState) isPlanned() bool { return h == PlannedOnly || h == Approved || h == DecidedElsewhere }

// isUnwritten reports whether the changes of the row were not written.
func (h RowState) isUnwritten() bool { return h.isPlanned() || h == DeadLetteredOnApply }

// Expect returns the expected outcomes of the lines, the counts by outcome, and the contents of
// the organisation's tables.
func (m *Import) Expect(fate RowStates) ([]checker.Line, job.Counts, []checker.Table) {
	model := m.kind.model(m)
	lines := m.apply(model, m.Records, fate)
	counts := countOutcomes(lines)
	written := m.newAttempt(m.Records, lines, fate)
	m.relax(model, lines)
	return lines, counts, m.modelAfter(written).tables()
}

// relax removes expectations that do not apply if chunks run concurrently.
func (m *Import) relax(model model, lines []checker.Line) {
	if loose, ok := model.(unorderedModel); ok && (m.Unordered || m.isInteractive()) { // rows that wait for an answer come last
		loose.relax(lines)
	}
}

// apply applies records to a model, and returns the expected result of each.
func (m *Import) apply(model model, records []Record, fate RowStates) []checker.Line {
	whole, _ := model.(scanningModel)
	naming, _ := model.(keyCountingModel)
	lines := make([]checker.Line, len(records))
	rows := make([]row, len(records))
	for i, r := range records {
		rows[i] = m.decode(r)
		if whole != nil && r.Outcome == rowwrite.Pending && rows[i].codes == nil {
			whole.scan(int64(i+1), rows[i])
		}
		if naming != nil && r.Outcome == rowwrite.Pending && r.Ragged == 0 {
			naming.countKeys(rows[i])
		}
	}
	for i, r := range records {
		switch {
		case r.Outcome != rowwrite.Pending:
			lines[i] = checker.Line{Outcome: r.Outcome}
		case fate(int64(i+1)) == NotCommitted:
			lines[i] = checker.Line{Outcome: rowwrite.Pending}
		case fate(int64(i+1)) == DeadLettered:
			lines[i] = checker.Line{Outcome: rowwrite.Errored, Codes: []string{Undelivered}}
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

// row is the expected content of a decoded row.
type row struct {
	values        map[string]string // by field; "" or absent for none
	outcome       rowwrite.Outcome  // if codes is set
	codes         []string          // why it cannot be written
	invalidFields []string          // fields with invalid cells
}

// decode combines a record's cells.
func (m *Import) decode(r Record) row {
	out := row{values: make(map[string]string), outcome: rowwrite.Errored}
	if r.Outcome != rowwrite.Pending {
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

// resolveReferences replaces the values that a person was asked about by the decisions.
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
		r.outcome = rowwrite.Skipped
	}
}

// String returns a short description of the import.
func (m *Import) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s (%s, %d rows, %d a chunk), auto %v, dry %v, skip %v, past the phases %v, scattered %v, review %q, options %s, answers %v %v, mapping %s\n",
		m.Type, m.Mode, m.Format, m.Rows(), m.ChunkRows, m.AutoStart, m.DryRun, m.SkipDecisions, m.SkipMapping, m.Unordered, m.Review, m.Options, m.EntityDecisions, m.WordDecisions, m.Mapping)
	for i, c := range m.Columns {
		fmt.Fprintf(&b, "  column %d %q is %q, asked %v\n", i, c.Header, c.Field, c.NeedsDecision)
	}
	for i, r := range m.Records {
		switch r.Outcome {
		case rowwrite.Pending:
			fmt.Fprintf(&b, "  %d %q ragged %d\n", i+1, rawTexts(r), r.Ragged)
		case rowwrite.Blank:
			fmt.Fprintf(&b, "  %d blank\n", i+1)
		case rowwrite.Header:
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
