package result

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// difference is what a part changes in the results of its event.
type difference struct {
	// Results to insert or to replace.
	category, sequence, row, participant, position, time entity.Column
	number, status, points, calculator                   entity.Column
	written                                              entity.Column
	// Results to delete.
	goneCategory, goneSequence entity.Column
}

func newDifference() *difference {
	number, text := func() entity.Column { return entity.NewColumn(entity.Integer, 0) }, func() entity.Column { return entity.NewColumn(entity.Text, 0) }
	return &difference{
		category: number(), sequence: number(), row: number(), participant: number(), position: number(), time: number(),
		number: text(), status: text(), points: text(), calculator: text(), written: number(), goneCategory: number(), goneSequence: number(),
	}
}

// put adds a result to write; row is the row of the file that contains it, or 0.
func (d *difference) put(category, sequence, row int64, s standing) {
	d.category.AppendInt64(category)
	d.sequence.AppendInt64(sequence)
	appendPositive(&d.row, row)
	d.participant.AppendInt64(s.participant)
	appendPositive(&d.position, s.position)
	appendPositive(&d.time, s.time)
	appendText(&d.number, s.number)
	appendText(&d.status, s.status)
	appendText(&d.points, s.points)
	appendText(&d.calculator, s.calculator)
	if s.written {
		d.written.AppendInt64(1)
	} else {
		d.written.AppendInt64(0)
	}
}

// remove adds a result to delete.
func (d *difference) remove(category, sequence int64) {
	d.goneCategory.AppendInt64(category)
	d.goneSequence.AppendInt64(sequence)
}

func appendPositive(c *entity.Column, v int64) {
	if v > 0 {
		c.AppendInt64(v)
	} else {
		c.AppendNull()
	}
}

func appendText(c *entity.Column, text string) {
	if text == "" {
		c.AppendNull()
	} else {
		c.AppendText([]byte(text))
	}
}

// save writes the results by their sequence within the category. The categories are locked, so the
// results are those from which the difference was computed. Without a job, results keep theirs.
func (d *difference) save(ctx context.Context, tx pgx.Tx, b *entity.Batch) error {
	if d.goneSequence.Len() > 0 {
		_, err := entity.Exec(ctx, tx, `
			DELETE FROM results AS r
			USING (SELECT * FROM unnest($2::int8[], $3::int8[]) AS v(category, seq)) AS v
			WHERE r.organisation_id = current_organisation() AND r.event_id = $1 AND r.category_id = v.category AND r.sequence = v.seq`,
			[]entity.Param{entity.Int64Param(b.Context), entity.ArrayParam(&d.goneCategory), entity.ArrayParam(&d.goneSequence)})
		if err != nil {
			return fmt.Errorf("delete results: %w", err)
		}
	}
	if d.sequence.Len() == 0 {
		return nil
	}
	_, err := entity.Exec(ctx, tx, `
		INSERT INTO results AS r (organisation_id, source_job, event_id, source_row, category_id, sequence, participant_id, race_number,
			position, position_written, time_ms, status, points, points_calculator)
		SELECT current_organisation(), nullif($1, 0), $2, v.r, v.category, v.seq, v.who, v.number, v.pos, v.written = 1, v.time, v.state, v.points::numeric, v.calculator
		FROM unnest($3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::text[], $8::int8[], $9::int8[], $10::int8[], $11::text[], $12::text[], $13::text[])
			AS v(r, category, seq, who, number, pos, written, time, state, points, calculator)
		ON CONFLICT (organisation_id, event_id, category_id, sequence) DO UPDATE SET
			participant_id = excluded.participant_id, race_number = excluded.race_number, position = excluded.position,
			position_written = excluded.position_written, time_ms = excluded.time_ms, status = excluded.status,
			points = excluded.points, points_calculator = excluded.points_calculator,
			source_job = coalesce(excluded.source_job, r.source_job),
			source_row = CASE WHEN excluded.source_job IS NULL THEN r.source_row ELSE excluded.source_row END`, []entity.Param{
		entity.Int64Param(b.JobKey), entity.Int64Param(b.Context), entity.ArrayParam(&d.row),
		entity.ArrayParam(&d.category), entity.ArrayParam(&d.sequence), entity.ArrayParam(&d.participant), entity.ArrayParam(&d.number),
		entity.ArrayParam(&d.position), entity.ArrayParam(&d.written), entity.ArrayParam(&d.time), entity.ArrayParam(&d.status),
		entity.ArrayParam(&d.points), entity.ArrayParam(&d.calculator),
	})
	if err != nil {
		return fmt.Errorf("write results: %w", err)
	}
	return nil
}
