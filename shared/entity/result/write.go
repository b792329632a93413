package result

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/points"
	"github.com/loadbay/loadbay/shared/problem"
)

// partWriter writes one part of the file.
type partWriter struct {
	*entity.Batch
	*event
	report *report
	first  bool // the first part of the file
}

func (w *partWriter) run(ctx context.Context, tx pgx.Tx) error {
	w.Results = make([]entity.Result, w.Len())
	if w.first {
		w.report.countUnmatched(w.lines, w.categories)
	}
	places := w.setResults()
	if len(places) == 0 {
		return nil
	}
	if err := w.upsert(ctx, tx, places); err != nil {
		return err
	}
	return w.applyChanges(ctx, tx)
}

// setResults sets the results of the part's rows, and returns the indexes of the rows to write.
func (w *partWriter) setResults() (places []int) {
	for i := range w.Len() {
		l := w.lineOf(i)
		if rowErr, ok := w.classification.rejected[l.row]; ok {
			w.Results[i] = entity.Result{Outcome: entity.Rejected, Errors: []entity.RowError{rowErr}}
			continue
		}
		if w.classification.shared[l.number] {
			w.Results[i].Errors = []entity.RowError{{
				Field: declaration.Fields[raceNumber].Name, Code: problem.RaceNumberShared, Value: entity.Shorten(l.number),
				Message: "Another participant of the event has this race number.",
			}}
		}
		places = append(places, i)
	}
	return places
}

// checkLine returns the reason why a line cannot be written, irrespective of other results.
func (e *event) checkLine(l *line) (entity.RowError, bool) {
	if _, ok := e.categories[l.category]; !ok {
		return entity.RowError{
			Field: declaration.Fields[categoryName].Name, Code: problem.CellUnresolved, Value: entity.Shorten(l.name),
			Message: "The event has no category with this name.",
		}, true
	}
	if rowErr, ok := e.rejectedRows[l.row]; ok {
		return rowErr, true
	}
	if e.entry(l) == nil {
		return entity.RowError{
			Field: declaration.Fields[participant].Name, Code: problem.CellUnresolved, Value: entity.Shorten(l.participant),
			Message: "The event does not have this participant.",
		}, true
	}
	return entity.RowError{}, false
}

func (w *partWriter) lineOf(i int) *line { return w.byRow[w.Row(i)] }

// columns returns the arrays of the rows at places.
func (w *partWriter) columns(places []int) []entity.Param {
	n := len(places)
	category, who := entity.NewColumn(entity.Reference, n), entity.NewColumn(entity.Reference, n)
	pos, time := entity.NewColumn(entity.Integer, n), entity.NewColumn(entity.Integer, n)
	state, points := entity.NewColumn(entity.Text, n), entity.NewColumn(entity.Decimal, n)
	for _, i := range places {
		at := w.place(w.lineOf(i))
		s := w.classification.after[at]
		category.AppendInt64(at.category)
		who.AppendInt64(s.participant)
		appendPositive(&pos, s.position)
		appendPositive(&time, s.time)
		state.AppendText([]byte(s.status))
		if given := w.points(at.category, s); given == "" {
			points.AppendNull()
		} else {
			points.AppendText([]byte(given))
		}
	}
	b := w.Pick(places)
	return []entity.Param{
		entity.Int64Param(w.Organisation), entity.Int64Param(w.JobKey), entity.Int64Param(w.Context), entity.ArrayParam(&b.Rows),
		entity.ArrayParam(&category), entity.ArrayParam(&b.Columns[sequence]), entity.ArrayParam(&who), entity.ArrayParam(&b.Columns[raceNumber]),
		entity.ArrayParam(&pos), entity.ArrayParam(&time), entity.ArrayParam(&state), entity.ArrayParam(&points),
	}
}

// points returns the points of a result, as a decimal number; "" for none.
func (w *partWriter) points(category int64, s standing) string {
	if s.status != finished {
		return ""
	}
	return w.report.Calculator.Points(s.position, s.time, w.classification.winners[category].time)
}

func appendPositive(c *entity.Column, v int64) {
	if v > 0 {
		c.AppendInt64(v)
	} else {
		c.AppendNull()
	}
}

// upsert writes the results by their sequence within the category. Without a calculator, points
// are not changed. A race number belongs to its participant.
func (w *partWriter) upsert(ctx context.Context, tx pgx.Tx, places []int) error {
	rowOf := make(map[int64]int, len(places))
	for _, i := range places {
		rowOf[w.Row(i)] = i
	}
	given := "excluded.points"
	if w.report.Calculator.Code == points.None {
		given = "r.points"
	}
	_, err := entity.Query(ctx, tx, `
		INSERT INTO results AS r (organisation_id, source_job, event_id, source_row, category_id, sequence, participant_id, race_number,
			position, time_ms, status, points)
		SELECT $1, $2, $3, v.r, v.category, v.seq, v.who, v.number, v.pos, v.time, v.state, v.points::numeric
		FROM unnest($4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::text[], $9::int8[], $10::int8[], $11::text[], $12::text[])
			AS v(r, category, seq, who, number, pos, time, state, points)
		ON CONFLICT (organisation_id, event_id, category_id, sequence) DO UPDATE SET
			participant_id = excluded.participant_id, race_number = coalesce(excluded.race_number, CASE WHEN r.participant_id = excluded.participant_id THEN r.race_number END),
			position = excluded.position, time_ms = excluded.time_ms, status = excluded.status,
			points = CASE WHEN excluded.status = 'FINISHED' THEN `+given+` END,
			source_job = excluded.source_job, source_row = excluded.source_row
		RETURNING source_row, (xmax = 0)::int::int8`, w.columns(places), func(v [][]byte) error {
		i := rowOf[entity.Int64(v[0])]
		counts := w.report.categoryFor(w.categories[w.lineOf(i).category].Name)
		if entity.Int64(v[1]) == 1 {
			w.Results[i].Outcome = entity.Created
			counts.Created++
		} else {
			w.Results[i].Outcome = entity.Updated
			counts.Updated++
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}

// applyChanges assigns the race numbers of written rows to entries, if the change is simple and
// the import has the option.
func (w *partWriter) applyChanges(ctx context.Context, tx pgx.Tx) error {
	if !w.apply {
		return nil
	}
	written := make(map[int64]bool, w.Len())
	for i := range w.Results {
		written[w.Row(i)] = w.Results[i].Outcome != entity.Rejected
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
		FROM (
			SELECT v.number, o.ctid AS place
			FROM unnest((SELECT $2::int8[]), (SELECT $3::text[])) AS v(id, number) -- how many hides from the planner: many look worth reading the event
			CROSS JOIN LATERAL (
				SELECT o.ctid
				FROM event_participants AS o
				WHERE o.organisation_id = current_organisation() AND o.event_id = $1 AND o.id = v.id
				LIMIT 1 -- not a join, for which the planner may read the whole event
				FOR NO KEY UPDATE
			) AS o
			OFFSET 0
		) AS v
		WHERE e.ctid = v.place`,
		[]entity.Param{entity.Int64Param(w.Context), entity.ArrayParam(&ids), entity.ArrayParam(&numbers)})
	if err != nil {
		return fmt.Errorf("change race numbers: %w", err)
	}
	w.report.NumberChanges.markApplied(changed)
	return nil
}
