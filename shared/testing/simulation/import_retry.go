package simulation

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
)

// maxRounds is the number of times that a person corrects and retries rows of an import.
const maxRounds = 3

// correctAndRetry lets a person correct failed rows and retry them, until none is left or the
// person stops. It returns the expected contents of the tables. If the import was planned, rows of
// several chunks that share keys are not retried: the retry is planned as well, and it is not
// specified which of the rows is written.
func (p *importRun) correctAndRetry(ctx context.Context, held []checker.Table, fate generate.RowStates) ([]checker.Table, error) {
	if p.chance(40) || p.plan.planned && p.script.HasDuplicates() && len(p.script.Records) > p.script.ChunkRows {
		return held, nil
	}
	d, err := p.newCorrector()
	if err != nil {
		return held, err
	}
	if !p.script.CanRetryRows() {
		p.requireRetryRefused(ctx, d)
		return held, nil
	}
	decided, err := p.loadDecided(ctx)
	if err != nil {
		return held, err
	}
	d.history = p.script.NewHistory(fate, decided)
	for range 1 + p.IntN(maxRounds) {
		if len(p.differences) > 0 || len(d.history.OpenRows()) == 0 {
			break
		}
		if err := d.runRound(ctx); err != nil {
			return held, err
		}
	}
	return d.history.Tables(), d.compareOpenErrors(ctx)
}

// runRound corrects rows and retries some.
func (d *corrector) runRound(ctx context.Context) error {
	if err := d.correct(ctx); err != nil {
		return err
	}
	reruns, err := d.requestRetries(ctx, 1+d.IntN(2))
	for place := 0; err == nil && place < len(reruns) && len(d.differences) == 0; place++ {
		r := reruns[place]
		if d.chance(40) {
			r.plan.retryAt = 1 + d.IntN(12)
			r.retryRequest = func(ctx context.Context) {
				more, failed := d.requestRetries(ctx, 1)
				if reruns = append(reruns, more...); failed != nil {
					d.report("read retried rows: %v", failed)
				}
			}
		}
		err = d.runRetry(ctx, r)
	}
	return err
}

// retryRun is the run of a retry.
type retryRun struct {
	*importRun
	rows []int64
}

// requestRetries requests the given number of concurrent retries, and returns their runs in order
// of creation.
func (d *corrector) requestRetries(ctx context.Context, times int) ([]*retryRun, error) {
	kind := d.declaration()
	away := d.pendingRows()
	needed, allowed := make(map[int64]bool), make(map[int64]bool)
	for range times {
		all := d.chance(60)
		wanted := d.history.RowsToRetry(all)
		d.begin(ctx, "retries rows", func(ctx context.Context) error {
			_, err := d.submit.Retry(ctx, submit.RetryRequest{Ref: d.ref, RequestID: "again", Type: kind, AllErrors: all, Uploader: "made up"})
			return err
		}, func(t *task) {
			d.finishTask(t)
			for _, row := range wanted {
				allowed[row] = true
				needed[row] = needed[row] || t.err == nil && !t.died && !away[row]
			}
			if problem.CodeOf(t.err) == problem.StateConflict && times == 1 && !t.faultInjected && len(away) == 0 && len(wanted) > 0 {
				d.report("rows %v cannot be retried: %v", wanted, t.err)
			}
		})
	}
	for len(d.paused) > 0 {
		d.advanceTask(d.paused[d.IntN(len(d.paused))])
	}
	made, err := d.loadNewRetries(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range made {
		for _, row := range r.rows {
			if !allowed[row] {
				d.report("row %d is retried, but was not requested or is pending", row)
			}
			delete(allowed, row)
			delete(needed, row)
		}
		d.history.NoteRetry(r.rows)
	}
	for row, is := range needed {
		if is {
			d.report("row %d is not retried", row)
		}
	}
	return made, nil
}

// pendingRows returns the rows of retries that have not ended.
func (d *corrector) pendingRows() map[int64]bool {
	away := make(map[int64]bool)
	for _, r := range d.retries {
		for _, row := range r.rows {
			if !r.finished {
				away[row] = true
			}
		}
	}
	return away
}

// loadNewRetries returns the retries that did not exist before.
func (d *corrector) loadNewRetries(ctx context.Context) (made []*retryRun, err error) {
	rows, err := d.admin.Query(ctx, `
		SELECT j.uuid::text, array_agg(c.first_row + n)
		FROM import_jobs AS j
		JOIN import_chunks AS c ON c.job_id = j.id
		CROSS JOIN generate_series(0, length(c.outcomes) - 1) AS n
		WHERE j.retry_of = $1 AND NOT j.uuid = ANY ($2) AND get_byte(c.outcomes, n) <> $3
		GROUP BY j.id ORDER BY j.id`, d.ref.JobID, d.knownRetries(), int(rowwrite.Blank))
	if err != nil {
		return nil, err
	}
	var id job.ID
	var retried []int64
	_, err = pgx.ForEachRow(rows, []any{&id, &retried}, func() error {
		slices.Sort(retried)
		r, err := d.newRetry(id, slices.Clone(retried))
		made = append(made, r)
		return err
	})
	d.retries = append(d.retries, made...)
	return made, err
}

func (d *corrector) knownRetries() []string {
	known := make([]string, len(d.retries))
	for i, r := range d.retries {
		known[i] = string(r.ref.JobID)
	}
	return known
}

// runRetry runs a retry and compares its results.
func (d *corrector) runRetry(ctx context.Context, r *retryRun) error {
	r.record("rows %v are retried", r.rows)
	r.run(ctx)
	r.finished = true
	d.retryCount++
	d.retriedRowCount += len(r.rows)
	d.trace, d.differences = append(d.trace, r.trace...), append(d.differences, r.differences...)
	j, err := r.job(ctx)
	if err != nil {
		return err
	}
	fate, err := r.loadRowStates(ctx, j)
	if err != nil {
		return err
	}
	if j.Status == job.Failed {
		d.report("an import of retried rows failed: %s %s", j.Failure.Code, j.Failure.Message)
	}
	for _, row := range r.rows {
		if !slices.Contains(d.history.OpenRows(), row) {
			d.report("row %d is retried, but had no error", row)
		}
	}
	lines, counts := d.history.ExpectRetry(r.rows, fate)
	want := checker.Import{JobID: r.ref.JobID, Lines: lines, Counts: &counts, Tables: d.history.Tables()}
	found, err := checker.Differences(ctx, d.admin, r.cloud, want)
	for _, f := range found {
		d.report("of retried rows %v: %s", r.rows, f)
	}
	if err != nil {
		return err
	}
	return d.compareOpenErrors(ctx)
}

// compareOpenErrors compares the number of open errors that the first import reports.
func (d *corrector) compareOpenErrors(ctx context.Context) error {
	d.lastJob = jobState{}
	j, err := d.job(ctx)
	if err == nil && j.OpenErrors() != int64(len(d.history.OpenRows())) {
		d.report("the job reports %d open rows, but those are %v", j.OpenErrors(), d.history.OpenRows())
	}
	return err
}
