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
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/testing/simulation/history"
)

// retries returns the possible retries: of ended imports with failed rows, after their
// previous retries have ended.
func (l *workload) retries() []operation {
	var out []operation
	for _, i := range l.imports {
		busy := slices.ContainsFunc(l.imports, func(r *workloadJob) bool { return r.retryOf == i && !r.ended })
		if i.table != nil && i.retryOf == nil && i.planned == nil && i.ended && !i.cancelled && len(i.openRows) > 0 && !busy {
			out = append(out, operation{3, func(ctx context.Context) error { return l.retry(ctx, i) }})
		}
	}
	return out
}

// retry retries all open rows of an import, after correcting at most one of them.
func (l *workload) retry(ctx context.Context, of *workloadJob) error {
	d, err := of.newCorrector()
	if err != nil {
		return err
	}
	if l.IntN(3) > 0 {
		if err := l.correctRow(ctx, d, of); err != nil {
			return err
		}
	}
	accepted, err := d.submit.Retry(ctx, submit.RetryRequest{Ref: of.ref, RequestID: "again", Type: d.declaration(), AllErrors: true, Uploader: "lived"})
	if err != nil {
		l.report("rows of %s cannot be retried: %v", of.name(), err)
		return nil
	}
	r := &workloadJob{
		table: of.table, retryOf: of, commits: make(map[int]int), openRows: make(map[int64]bool),
		job: &history.Job{Name: fmt.Sprintf("import %d, which retries rows of %s", len(l.imports)+1, of.name()), Upsert: of.job.Upsert},
	}
	if r.importRun, err = l.newRun(l.Rand, l.ref(string(accepted.Job.ID)), of.script.Type, 1); err != nil {
		return err
	}
	r.cloud.Bucket, r.sourceKey = of.cloud.Bucket, of.sourceKey
	retried, err := l.loadRetriedRows(ctx, r)
	if err != nil {
		return err
	}
	if wanted := slices.Sorted(maps.Keys(of.openRows)); !slices.Equal(retried, wanted) {
		l.report("%s: rows %v, want %v", r.name(), retried, wanted)
	}
	for _, row := range of.rows {
		if of.openRows[row.Number] {
			row.SharesKey = true
			r.rows = append(r.rows, row)
		}
	}
	l.record("%s: rows %v", r.name(), retried)
	l.imports = append(l.imports, r)
	l.retryCount++
	return l.runExecution(ctx, r)
}

// loadRetriedRows returns the rows of a retry.
func (l *workload) loadRetriedRows(ctx context.Context, r *workloadJob) ([]int64, error) {
	rows, err := l.admin.Query(ctx, `
		SELECT c.first_row + n
		FROM import_jobs AS j
		JOIN import_chunks AS c ON c.job_id = j.id
		CROSS JOIN generate_series(0, length(c.outcomes) - 1) AS n
		WHERE j.uuid = $1 AND get_byte(c.outcomes, n) <> $2
		ORDER BY 1`, r.ref.JobID, int(rowwrite.Blank))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowTo[int64])
}

// correctRow corrects an open row of an import: the unreadable cell, or a key other than the id.
func (l *workload) correctRow(ctx context.Context, d *corrector, of *workloadJob) error {
	open := slices.Sorted(maps.Keys(of.openRows))
	chosen := open[l.IntN(len(open))]
	row := &of.rows[slices.IndexFunc(of.rows, func(r history.Row) bool { return r.Number == chosen })]
	given := maps.Clone(row.Values)
	for i := range of.table.Columns {
		c := &of.table.Columns[i]
		if c.Unique && c.Name != "id" || c.Parent != "" {
			given[c.Name] = l.entities.drawValue(of.table, c, l.IntN(maxEntities))
		}
	}
	cells := make(correction.Cells)
	for column, value := range given {
		if value == row.Values[column] {
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			return err
		}
		cells[d.declaration().FieldForColumn(column)] = text
	}
	if len(cells) == 0 {
		return nil
	}
	l.record("row %d of %s is corrected: %s", row.Number, of.name(), cells)
	checked, err := d.corrections.Correct(ctx, of.ref, "", map[int64]correction.Cells{row.Number: cells}, false)
	if err != nil {
		l.report("row %d of %s cannot be corrected: %v", row.Number, of.name(), err)
		return nil
	}
	for _, c := range checked[0].Cells {
		if c.Error != nil {
			l.report("row %d of %s: correction of %s is rejected: %v", row.Number, of.name(), c.Field, c.Error)
		}
	}
	row.Values, row.Unreadable = given, false
	return nil
}

// noteOutcome records the current outcome of a row, and whether it is still open.
func (i *workloadJob) noteOutcome(row int64, o rowwrite.Outcome) {
	of := i
	if i.retryOf != nil {
		of = i.retryOf
	}
	if o == rowwrite.Errored {
		of.openRows[row] = true
	} else {
		delete(of.openRows, row)
	}
}
