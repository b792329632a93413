package result

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// preparedFile is a result list after the first of the two passes.
type preparedFile struct {
	mode         string
	apply        bool   // apply simple number changes
	points       string // code of the calculator; "" for the one of each category
	complete     bool   // remove results of participants who are not in the file
	hasTime      bool   // the file has a time column
	hasStatus    bool   // the file has a status column
	undecoded    int    // number of invalid rows, which are not in lines
	times        int    // number of rows with a time
	shortTimes   int    // and of those with a time that may consist of hours and minutes
	order        []int
	categoryEnds []int                    // where the rows of each category end in order
	lines        []*line                  // in file order
	byRow        map[int64]*line          // by row
	rejectedRows map[int64]rowwrite.Error // row → error for duplicates of another row
	claims       []claim                  // of race numbers, in file order
	claimIndex   map[int64]int            // indexes of claims by row
	event        *event                   // nil before the first part
}

// line holds the values of a row. Missing numbers are 0 and missing texts "".
type line struct {
	row         int64
	name        string // of the category
	category    string // name in lower case
	sequence    int64
	participant string
	number      string
	position    int64
	time        int64 // milliseconds
	status      string
}

// claim is a race number that a row assigns to a participant.
type claim struct {
	row                 int64
	participant, number string
}

// PrepareFile groups the rows by category, in the order in which the categories appear.
func (*Type) PrepareFile(f *entity.File) (entity.PreparedFile, error) {
	p := &preparedFile{
		mode: cmp.Or(f.Settings["participantIdMode"], byEntry), apply: f.Settings["applyNumberChanges"] == "true", points: f.Settings["pointsCalculator"],
		complete: f.Settings["complete"] == "true", hasTime: f.Batch.Mapped[raceTime], hasStatus: f.Batch.Mapped[status], undecoded: f.Invalid,
		byRow: make(map[int64]*line, f.Batch.Len()), rejectedRows: make(map[int64]rowwrite.Error), claimIndex: make(map[int64]int),
	}
	groups := make(map[string][]int)
	var names []string
	for i := range f.Batch.Len() {
		l := parseLine(f.Batch, i)
		p.lines = append(p.lines, l)
		p.byRow[l.row] = l
		if l.time > 0 {
			p.times++
		}
		if maybeHours(f.Batch.Columns[raceTime].String(i)) {
			p.shortTimes++
		}
		if groups[l.category] == nil {
			names = append(names, l.category)
		}
		groups[l.category] = append(groups[l.category], i)
		if l.number != "" {
			p.claimIndex[l.row] = len(p.claims)
			p.claims = append(p.claims, claim{row: l.row, participant: l.participant, number: l.number})
		}
	}
	for _, name := range names {
		p.prepareCategory(groups[name])
	}
	return p, nil
}

func parseLine(b *entity.Batch, i int) *line {
	l := &line{
		row: b.Row(i), name: b.Columns[categoryName].String(i), participant: b.Columns[participant].String(i),
		number: b.Columns[raceNumber].String(i), status: b.Columns[status].String(i),
	}
	l.category = strings.ToLower(l.name)
	l.sequence, _ = b.Columns[sequence].Int64(i)
	l.position, _ = b.Columns[position].Int64(i)
	if text := b.Columns[raceTime].String(i); text != "" {
		l.time = parseMilliseconds(text)
	}
	return l
}

// prepareCategory rejects rows of a category that repeat a sequence or a participant, and orders
// the rows of the category by sequence.
func (p *preparedFile) prepareCategory(rows []int) {
	people := make(map[string][]int64)
	for _, i := range rows {
		people[p.lines[i].participant] = append(people[p.lines[i].participant], p.lines[i].row)
	}
	sequences := make(map[int64]int64)
	for _, i := range rows {
		l := p.lines[i]
		same := people[l.participant]
		first, taken := sequences[l.sequence]
		switch {
		case len(same) > 1:
			p.rejectedRows[l.row] = duplicateError(participant, l.participant,
				fmt.Sprintf("Rows %d and %d have the same participant in this category. Keep one of them.", same[0], same[1]))
			continue // which of them is right is unknown
		case taken:
			p.rejectedRows[l.row] = duplicateError(sequence, fmt.Sprint(l.sequence), fmt.Sprintf("Row %d of this file has the same value in this category.", first))
			continue
		case p.hasTime && l.time == 0 && l.status == "":
			p.rejectedRows[l.row] = rowwrite.Error{
				Field: declaration.Fields[raceTime].Name, Code: problem.CellRequired, Message: "Enter a time, or a status such as DNF.",
			}
		}
		sequences[l.sequence] = l.row
	}
	slices.SortStableFunc(rows, func(i, j int) int { return cmp.Compare(p.lines[i].sequence, p.lines[j].sequence) })
	p.order = append(p.order, rows...)
	p.categoryEnds = append(p.categoryEnds, len(p.order))
}

func duplicateError(field int, value, message string) rowwrite.Error {
	return rowwrite.Error{Field: declaration.Fields[field].Name, Code: problem.RowDuplicate, Value: entity.Shorten(value), Message: message}
}

// PartEnds returns where parts of at least size rows end in the order: with their last category,
// so that its points never mix the results before and after the file.
func (p *preparedFile) PartEnds(size int) (ends []int) {
	first := 0
	for _, end := range p.categoryEnds {
		for ; end-first > maxPartRows; first += maxPartRows {
			ends = append(ends, first+maxPartRows)
		}
		if end-first >= size {
			ends, first = append(ends, end), end
		}
	}
	if first < len(p.order) {
		ends = append(ends, len(p.order))
	}
	return ends
}

// maxPartRows is the maximum number of rows that are written in one transaction. A larger category
// is written in several, each of which computes the points of all results that the category has by
// then.
const maxPartRows = 20_000

// Order returns the rows by category.
func (p *preparedFile) Order() []int { return p.order }

// WritePart writes rows as part of the second pass.
func (p *preparedFile) WritePart(ctx context.Context, tx pgx.Tx, b *entity.Batch, left json.RawMessage) (json.RawMessage, error) {
	e, err := p.loadEvent(ctx, tx, b)
	if err != nil {
		return nil, err
	}
	r := &report{}
	if len(left) == 0 {
		// Classified once, before any change is applied, so that conflicts do not depend on how the
		// file is divided.
		r.NumberChanges = classifyNumberChanges(p.claims, e.entries, e.rejected)
		if p.shortTimes == p.times {
			r.ShortTimes = p.times
		}
	} else if err := json.Unmarshal(left, r); err != nil {
		return nil, fmt.Errorf("read state of the previous part: %w", err)
	}
	if r.Calculator == nil && p.points != "" {
		// Loaded once: later changes by the organisation do not affect the file.
		if r.Calculator, err = loadCalculator(ctx, tx, p.points); err != nil {
			return nil, err
		}
	}
	if p.complete {
		r.RefusedRows = e.refused()
	}
	w := &partWriter{Batch: b, event: e, report: r, first: len(left) == 0}
	if err := w.run(ctx, tx); err != nil {
		return nil, err
	}
	return json.Marshal(r)
}
