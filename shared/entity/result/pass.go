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

// pass is a result list that has been read: the first of the two passes.
type pass struct {
	mode    string
	apply   bool // simple number changes
	order   []int
	lines   map[int64]*line           // by row
	refused map[int64]entity.RowError // row → why it repeats another one
	claims  []claim                   // of race numbers, in file order
}

// line is what the first pass knows about a row.
type line struct {
	category string // in lower case
	position int64
	time     int64 // milliseconds; 0 for none
	status   string
	points   string
}

// claim is a race number that a row gives to a participant.
type claim struct {
	row                 int64
	participant, number string
}

// ReadFile groups the rows by category, in the order in which the categories
// appear, and gives points to those who finished.
func (*Type) ReadFile(f *entity.File) (entity.FilePass, error) {
	points, err := calculatorOf(f.Settings["pointsCalculator"])
	if err != nil {
		return nil, err
	}
	p := &pass{
		mode: f.Settings["participantIdMode"], apply: f.Settings["applyNumberChanges"] == "true",
		lines: make(map[int64]*line, f.Batch.Len()), refused: make(map[int64]entity.RowError),
	}
	groups := make(map[string][]int)
	var names []string
	for i := range f.Batch.Len() {
		l := readLine(f.Batch, i)
		p.lines[f.Batch.Row(i)] = l
		if groups[l.category] == nil {
			names = append(names, l.category)
		}
		groups[l.category] = append(groups[l.category], i)
		if number := f.Batch.Columns[raceNumber].String(i); number != "" {
			p.claims = append(p.claims, claim{row: f.Batch.Row(i), participant: f.Batch.Columns[participant].String(i), number: number})
		}
	}
	for _, name := range names {
		p.category(f.Batch, groups[name], points)
	}
	return p, nil
}

func readLine(b *entity.Batch, i int) *line {
	l := &line{
		category: strings.ToLower(b.Columns[categoryName].String(i)), status: b.Columns[status].String(i),
	}
	if text := b.Columns[raceTime].String(i); text != "" {
		l.time = milliseconds(text)
	}
	if l.status == "" {
		l.status = finished
	}
	if l.status == finished {
		// Lists are in the order of arrival; a position is only written where it
		// is another, as when two arrive together.
		l.position, _ = b.Columns[sequence].Int64(i)
		if given, ok := b.Columns[position].Int64(i); ok {
			l.position = given
		}
	}
	return l
}

// category finds rows of one category that repeat a sequence or a participant,
// and gives points to the others.
func (p *pass) category(b *entity.Batch, rows []int, points *calculator) {
	sequences, people := make(map[int64]int64), make(map[string]int64)
	var winner *line
	for _, i := range rows {
		seq, _ := b.Columns[sequence].Int64(i)
		who := b.Columns[participant].String(i)
		if first, ok := sequences[seq]; ok {
			p.refused[b.Row(i)] = repeated(sequence, fmt.Sprint(seq), first)
			continue
		}
		if first, ok := people[who]; ok {
			p.refused[b.Row(i)] = repeated(participant, who, first)
			continue
		}
		sequences[seq], people[who] = b.Row(i), b.Row(i)
		l := p.lines[b.Row(i)]
		if l.status == finished && l.time > 0 && (winner == nil || l.position < winner.position) {
			winner = l
		}
	}
	for _, i := range rows {
		l := p.lines[b.Row(i)]
		if l.status != finished {
			continue
		}
		var best int64
		if winner != nil {
			best = winner.time
		}
		l.points = points.points(l.position, l.time, best)
	}
	p.order = append(p.order, rows...)
}

func repeated(field int, value string, row int64) entity.RowError {
	return entity.RowError{
		Field: declaration.Fields[field].Name, Code: problem.RowDuplicate, Value: entity.Shorten(value),
		Message: fmt.Sprintf("Row %d of this file has the same value in this category.", row),
	}
}

// Order is category by category.
func (p *pass) Order() []int { return p.order }

// WritePart writes rows: part of the second pass.
func (p *pass) WritePart(ctx context.Context, tx pgx.Tx, b *entity.Batch, left json.RawMessage) (json.RawMessage, error) {
	entries, err := readEntries(ctx, tx, b.Context, p.mode)
	if err != nil {
		return nil, err
	}
	r := &report{}
	if len(left) == 0 {
		// Classified once, before anything is applied: what is a conflict does not
		// depend on how the file is divided.
		r.NumberChanges = changes(p.claims, entries)
	} else if err := json.Unmarshal(left, r); err != nil {
		return nil, fmt.Errorf("read what the part before left: %w", err)
	}
	w := &writing{Batch: b, pass: p, report: r, entries: entries}
	if err := w.run(ctx, tx); err != nil {
		return nil, err
	}
	return json.Marshal(r)
}
