package result

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// preparedFile is a result list after the first of the two passes.
type preparedFile struct {
	mode         string
	apply        bool   // apply simple number changes
	points       string // code of the calculator
	order        []int
	lines        []*line                   // in file order
	byRow        map[int64]*line           // by row
	rejectedRows map[int64]entity.RowError // row → error for duplicates of another row
	claims       []claim                   // of race numbers, in file order
	claimIndex   map[int64]int             // indexes of claims by row
	event        *event                    // nil before the first part
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
		mode: f.Settings["participantIdMode"], apply: f.Settings["applyNumberChanges"] == "true",
		points: f.Settings["pointsCalculator"], byRow: make(map[int64]*line, f.Batch.Len()), rejectedRows: make(map[int64]entity.RowError),
		claimIndex: make(map[int64]int),
	}
	groups := make(map[string][]int)
	var names []string
	for i := range f.Batch.Len() {
		l := parseLine(f.Batch, i)
		p.lines = append(p.lines, l)
		p.byRow[l.row] = l
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

// prepareCategory rejects rows of a category that repeat a sequence or a participant.
func (p *preparedFile) prepareCategory(rows []int) {
	sequences, people := make(map[int64]int64), make(map[string]int64)
	for _, i := range rows {
		l := p.lines[i]
		if first, ok := sequences[l.sequence]; ok {
			p.rejectedRows[l.row] = duplicateError(sequence, fmt.Sprint(l.sequence), first)
			continue
		}
		if first, ok := people[l.participant]; ok {
			p.rejectedRows[l.row] = duplicateError(participant, l.participant, first)
			continue
		}
		sequences[l.sequence], people[l.participant] = l.row, l.row
	}
	p.order = append(p.order, rows...)
}

func duplicateError(field int, value string, row int64) entity.RowError {
	return entity.RowError{
		Field: declaration.Fields[field].Name, Code: problem.RowDuplicate, Value: entity.Shorten(value),
		Message: fmt.Sprintf("Row %d of this file has the same value in this category.", row),
	}
}

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
		r.NumberChanges = classifyNumberChanges(p.claims, e.entries)
	} else if err := json.Unmarshal(left, r); err != nil {
		return nil, fmt.Errorf("read state of the previous part: %w", err)
	}
	if r.Calculator == nil {
		// Loaded once: later changes by the organisation do not affect the file.
		if r.Calculator, err = loadCalculator(ctx, tx, p.points); err != nil {
			return nil, err
		}
	}
	w := &partWriter{Batch: b, event: e, report: r, first: len(left) == 0}
	if err := w.run(ctx, tx); err != nil {
		return nil, err
	}
	return json.Marshal(r)
}
