package result

import (
	"context"
	"fmt"
	"github.com/loadbay/loadbay/shared/job/rowwrite"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// partWriter writes one part of the file.
type partWriter struct {
	*entity.Batch
	*event
	report *report
	first  bool // the first part of the file
}

// categoryPart is the part's rows of one category.
type categoryPart struct {
	list
	id   int64
	name string
	rows map[int64]int // indexes in the part by sequence
}

func (w *partWriter) run(ctx context.Context, tx pgx.Tx) error {
	w.Results = make([]entity.Result, w.Len())
	if w.first {
		w.report.countUnmatched(w.lines, w.categories)
	}
	parts := w.divide()
	stored, err := lockStandings(ctx, tx, w.id, parts)
	if err != nil {
		return err
	}
	by, err := newScoring(ctx, tx, w.report.Calculator, stored)
	if err != nil {
		return err
	}
	if err := w.countElsewhere(ctx, tx, parts); err != nil {
		return err
	}
	d := newDifference()
	for _, part := range parts {
		w.writeCategory(d, by, stored[part.id], part)
	}
	if err := d.save(ctx, tx, w.Batch); err != nil {
		return err
	}
	return w.applyChanges(ctx, tx)
}

// divide sets the results of rejected rows, and divides the others by category.
func (w *partWriter) divide() (parts []*categoryPart) {
	index := make(map[int64]*categoryPart)
	for i := range w.Len() {
		l := w.lineOf(i)
		if rowErr, ok := w.rejected[l.row]; ok {
			w.Results[i] = entity.Result{Outcome: rowwrite.Errored, Errors: []rowwrite.Error{rowErr}}
			continue
		}
		if w.shared[l.number] {
			w.warn(i, raceNumber, l.number, problem.RaceNumberShared, "Another participant of the event has this race number.")
		}
		c := w.categories[l.category]
		part := index[c.ID]
		if part == nil {
			part = &categoryPart{list: *w.lists[c.ID], id: c.ID, name: c.Name, rows: make(map[int64]int)}
			part.lines = make(map[int64]*line)
			parts, index[c.ID] = append(parts, part), part
		}
		part.lines[w.entry(l).id], part.rows[l.sequence] = l, i
	}
	return parts
}

// warn adds a warning to row i of the part.
func (w *partWriter) warn(i, field int, value string, code problem.Code, message string) {
	w.Results[i].Errors = append(w.Results[i].Errors, rowwrite.Error{Field: declaration.Fields[field].Name, Code: code, Value: entity.Shorten(value), Message: message})
}

func (w *partWriter) lineOf(i int) *line { return w.byRow[w.Row(i)] }

// writeCategory adds what the rows change in a category to d, and sets the results of the rows.
func (w *partWriter) writeCategory(d *difference, by *scoring, before standings, part *categoryPart) {
	after, effect := part.apply(before)
	after.keepComputed(before, after.rank())
	counts := w.report.categoryFor(part.name)
	counts.add(effect, by.score(before, after))
	counts.Results = len(after)
	for _, sequence := range after.sequences() {
		was, existed := before[sequence]
		is := after[sequence]
		i, listed := part.rows[sequence]
		if listed {
			w.Results[i].Outcome = counts.count(existed, was == is)
			w.warnStatusKept(i, is)
		} else if existed && was.participant == is.participant && was != is {
			counts.Recalculated++
		}
		switch {
		case existed && was == is:
		case listed:
			d.put(part.id, sequence, w.Row(i), is)
		default:
			d.put(part.id, sequence, 0, is)
		}
	}
	for _, at := range before.sequences() {
		if _, ok := after[at]; !ok {
			d.remove(part.id, at)
		}
		if now, ok := effect.moved[at]; ok {
			w.warn(part.rows[at], sequence, fmt.Sprint(at), problem.ResultMoved,
				fmt.Sprintf("Another participant had this sequence, and no valid row of the file is about them. Their result now has sequence %d.", now))
		}
	}
}

// warnStatusKept warns about a time for a participant who still counts as not finished, because
// the file cannot say otherwise.
func (w *partWriter) warnStatusKept(i int, is standing) {
	if l := w.lineOf(i); l.time > 0 && l.status == "" && is.status != finished {
		w.warn(i, raceTime, "", problem.StatusKept, fmt.Sprintf("The participant keeps the status %s. To change it, import a status column.", is.status))
	}
}

// applyChanges assigns the race numbers of written rows to entries, if the change is simple and
// the import has the option.
func (w *partWriter) applyChanges(ctx context.Context, tx pgx.Tx) error {
	if !w.apply {
		return nil
	}
	written := make(map[int64]bool, w.Len())
	for i := range w.Results {
		written[w.Row(i)] = w.Results[i].Outcome != rowwrite.Errored
	}
	changed := make(map[int64]bool)
	ids, numbers := entity.NewColumn(entity.Reference, 0), entity.NewColumn(entity.Text, 0)
	for row, ok := range written {
		i, claims := w.claimIndex[row]
		if !ok || !claims || !w.report.NumberChanges.isSimple(i) {
			continue
		}
		c := w.claims[i]
		ids.AppendInt64(w.entries.byKey[c.participant].id)
		numbers.AppendText([]byte(c.number))
		changed[row] = true
	}
	if len(changed) == 0 {
		return nil
	}
	_, err := entity.Exec(ctx, tx, `
		UPDATE event_participants AS e SET race_number = v.number
		FROM unnest((SELECT $2::int8[]), (SELECT $3::text[])) AS v(id, number) -- how many hides from the planner: many look worth reading the event
		WHERE e.organisation_id = current_organisation() AND e.event_id = $1 AND e.id = v.id`,
		[]entity.Param{entity.Int64Param(w.Context), entity.ArrayParam(&ids), entity.ArrayParam(&numbers)})
	if err != nil {
		return fmt.Errorf("change race numbers: %w", err)
	}
	w.report.NumberChanges.markApplied(changed)
	return nil
}
