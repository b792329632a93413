package simulation

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/correction"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
)

// retries are the imports that have rows to be brought again: of one that has come to its
// end, once what was brought before has ended.
func (l *life) retries() []deed {
	var out []deed
	for _, i := range l.imports {
		busy := slices.ContainsFunc(l.imports, func(r *imported) bool { return r.first == i && !r.ended })
		if i.table != nil && i.first == nil && i.planned == nil && i.ended && !i.cancelled && len(i.open) > 0 && !busy {
			out = append(out, deed{3, func(ctx context.Context) error { return l.retry(ctx, i) }})
		}
	}
	return out
}

// retry has all open rows of an import brought again, one of them corrected before or none.
func (l *life) retry(ctx context.Context, of *imported) error {
	d, err := of.openDesk()
	if err != nil {
		return err
	}
	if l.IntN(3) > 0 {
		if err := l.correct(ctx, d, of); err != nil {
			return err
		}
	}
	accepted, err := d.submit.Rerun(ctx, submit.RerunRequest{Ref: of.ref, RequestID: "again", Type: d.declaration(), AllErrors: true, Uploader: "lived"})
	if err != nil {
		l.say("rows of %s cannot be brought again: %v", of.name(), err)
		return nil
	}
	r := &imported{
		table: of.table, first: of, commits: make(map[int]int), open: make(map[int64]bool),
		job: &history.Job{Name: fmt.Sprintf("import %d, which brings rows of %s again", len(l.imports)+1, of.name()), Upsert: of.job.Upsert},
	}
	if r.play, err = l.newPlay(l.Rand, l.ref(string(accepted.Job.ID)), of.script.Type, 1); err != nil {
		return err
	}
	r.cloud.Bucket, r.sourceKey = of.cloud.Bucket, of.sourceKey
	brought, err := l.brought(ctx, r)
	if err != nil {
		return err
	}
	if wanted := slices.Sorted(maps.Keys(of.open)); !slices.Equal(brought, wanted) {
		l.say("%s: rows %v, and they should be %v", r.name(), brought, wanted)
	}
	for _, row := range of.rows {
		if of.open[row.Number] {
			row.Repeats = true
			r.rows = append(r.rows, row)
		}
	}
	l.act("%s: rows %v", r.name(), brought)
	l.imports = append(l.imports, r)
	l.retried++
	return l.execute(ctx, r)
}

// brought are the rows that an import brings again.
func (l *life) brought(ctx context.Context, r *imported) ([]int64, error) {
	rows, err := l.admin.Query(ctx, `
		SELECT c.first_row + n
		FROM import_jobs AS j
		JOIN import_chunks AS c ON c.job_id = j.id
		CROSS JOIN generate_series(0, length(c.outcomes) - 1) AS n
		WHERE j.uuid = $1 AND get_byte(c.outcomes, n) <> $2
		ORDER BY 1`, r.ref.JobID, int(job.Blank))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// correct gives an open row of an import another value: for the cell that nobody could
// read, or for what it is known by besides its id.
func (l *life) correct(ctx context.Context, d *desk, of *imported) error {
	open := slices.Sorted(maps.Keys(of.open))
	chosen := open[l.IntN(len(open))]
	row := &of.rows[slices.IndexFunc(of.rows, func(r history.Row) bool { return r.Number == chosen })]
	given := maps.Clone(row.Given)
	for i := range of.table.Columns {
		c := &of.table.Columns[i]
		if c.Unique && c.Name != "id" || c.Parent != "" {
			given[c.Name] = l.things.value(of.table, c, l.IntN(allThings))
		}
	}
	cells := make(correction.Cells)
	for column, value := range given {
		if value == row.Given[column] {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		cells[d.declaration().FieldOf(column)] = text
	}
	if len(cells) == 0 {
		return nil
	}
	l.act("row %d of %s is corrected: %s", row.Number, of.name(), cells)
	checked, err := d.rows.Take(ctx, of.ref, map[int64]correction.Cells{row.Number: cells}, false)
	if err != nil {
		l.say("row %d of %s cannot be corrected: %v", row.Number, of.name(), err)
		return nil
	}
	for _, c := range checked[0].Cells {
		if c.Fault != nil {
			l.say("row %d of %s: what %s is corrected to is refused: %v", row.Number, of.name(), c.Field, c.Fault)
		}
	}
	row.Given, row.Unread = given, false
	return nil
}

// settle notes what came of a row by now: whether it is still to be put right.
func (i *imported) settle(row int64, o job.Outcome) {
	of := i
	if i.first != nil {
		of = i.first
	}
	if o == job.Errored {
		of.open[row] = true
	} else {
		delete(of.open, row)
	}
}
