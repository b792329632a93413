package simulation

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/testing/checker"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
)

// maxRounds is how often a person corrects rows of an import and has them brought again.
const maxRounds = 3

// putRight lets a person correct rows that went wrong, and bring them again, until none is
// left or the person has had enough. It returns what the tables must hold then. Rows of several
// chunks about the same are left alone if the import was planned: what brings them again is
// planned as well, and it is not promised which of them is written.
func (p *play) putRight(ctx context.Context, held []checker.Table, fate generate.Fate) ([]checker.Table, error) {
	if p.chance(40) || p.plan.planned && p.script.Repeats() && len(p.script.Records) > p.script.ChunkRows {
		return held, nil
	}
	d, err := p.openDesk()
	if err != nil {
		return held, err
	}
	if !p.script.Correctable() {
		p.refusesRetry(ctx, d)
		return held, nil
	}
	decided, err := p.decided(ctx)
	if err != nil {
		return held, err
	}
	d.history = p.script.Ended(fate, decided)
	for range 1 + p.IntN(maxRounds) {
		if len(p.found) > 0 || len(d.history.Open()) == 0 {
			break
		}
		if err := d.round(ctx); err != nil {
			return held, err
		}
	}
	return d.history.Tables(), d.openErrors(ctx)
}

// round corrects rows, and brings some again.
func (d *desk) round(ctx context.Context) error {
	if err := d.correct(ctx); err != nil {
		return err
	}
	reruns, err := d.ask(ctx, 1+d.IntN(2))
	for place := 0; err == nil && place < len(reruns) && len(d.found) == 0; place++ {
		r := reruns[place]
		if d.chance(40) {
			r.plan.askAt = 1 + d.IntN(12)
			r.meanwhile = func(ctx context.Context) {
				more, failed := d.ask(ctx, 1)
				if reruns = append(reruns, more...); failed != nil {
					d.say("what is brought again cannot be seen: %v", failed)
				}
			}
		}
		err = d.follow(ctx, r)
	}
	return err
}

// rerun is an import that brings rows again, being played.
type rerun struct {
	*play
	rows []int64
}

// ask has rows brought again, so many times at once, and returns what comes of it in the
// order in which the imports were made.
func (d *desk) ask(ctx context.Context, times int) ([]*rerun, error) {
	kind := d.declaration()
	away := d.away()
	needed, allowed := make(map[int64]bool), make(map[int64]bool)
	for range times {
		all := d.chance(60)
		wanted := d.history.Wanted(all)
		d.begin(ctx, "asks for rows again", func(ctx context.Context) error {
			_, err := d.submit.Rerun(ctx, submit.RerunRequest{Ref: d.ref, RequestID: "again", Type: kind, AllErrors: all, Uploader: "made up"})
			return err
		}, func(t *task) {
			d.conclude(t)
			for _, row := range wanted {
				allowed[row] = true
				needed[row] = needed[row] || t.err == nil && !t.died && !away[row]
			}
			if problem.CodeOf(t.err) == problem.StateConflict && times == 1 && !t.faultInjected && len(away) == 0 && len(wanted) > 0 {
				d.say("rows %v cannot be brought again: %v", wanted, t.err)
			}
		})
	}
	for len(d.standing) > 0 {
		d.goOn(d.standing[d.IntN(len(d.standing))])
	}
	made, err := d.made(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range made {
		for _, row := range r.rows {
			if !allowed[row] {
				d.say("row %d is brought again, which is not asked for or is on its way", row)
			}
			delete(allowed, row)
			delete(needed, row)
		}
		d.history.Begun(r.rows)
	}
	for row, is := range needed {
		if is {
			d.say("row %d is not brought again", row)
		}
	}
	return made, nil
}

// away are the rows that imports bring which have not been played to their end.
func (d *desk) away() map[int64]bool {
	away := make(map[int64]bool)
	for _, r := range d.reruns {
		for _, row := range r.rows {
			if !r.over {
				away[row] = true
			}
		}
	}
	return away
}

// made returns the imports that bring rows again and were not there before.
func (d *desk) made(ctx context.Context) (made []*rerun, err error) {
	rows, err := d.admin.Query(ctx, `
		SELECT j.uuid::text, array_agg(c.first_row + n)
		FROM import_jobs AS j
		JOIN import_chunks AS c ON c.job_id = j.id
		CROSS JOIN generate_series(0, length(c.outcomes) - 1) AS n
		WHERE j.retry_of = $1 AND NOT j.uuid = ANY ($2) AND get_byte(c.outcomes, n) <> $3
		GROUP BY j.id ORDER BY j.id`, d.ref.JobID, d.known(), int(job.Blank))
	if err != nil {
		return nil, err
	}
	var id job.ID
	var brought []int64
	_, err = pgx.ForEachRow(rows, []any{&id, &brought}, func() error {
		slices.Sort(brought)
		r, err := d.rerun(id, slices.Clone(brought))
		made = append(made, r)
		return err
	})
	d.reruns = append(d.reruns, made...)
	return made, err
}

func (d *desk) known() []string {
	known := make([]string, len(d.reruns))
	for i, r := range d.reruns {
		known[i] = string(r.ref.JobID)
	}
	return known
}

// follow plays an import that brings rows again, and compares what came of it.
func (d *desk) follow(ctx context.Context, r *rerun) error {
	r.act("rows %v are brought again", r.rows)
	r.run(ctx)
	r.over = true
	d.again++
	d.againRows += len(r.rows)
	d.acts, d.found = append(d.acts, r.acts...), append(d.found, r.found...)
	j, err := r.job(ctx)
	if err != nil {
		return err
	}
	fate, err := r.fate(ctx, j)
	if err != nil {
		return err
	}
	if j.Status == job.Failed {
		d.say("an import of rows brought again failed: %s %s", j.Failure.Code, j.Failure.Message)
	}
	for _, row := range r.rows {
		if !slices.Contains(d.history.Open(), row) {
			d.say("row %d is brought again, and was right", row)
		}
	}
	lines, counts := d.history.Brought(r.rows, fate)
	want := checker.Import{JobID: r.ref.JobID, Lines: lines, Counts: &counts, Tables: d.history.Tables()}
	found, err := checker.Differences(ctx, d.admin, r.cloud, want)
	for _, f := range found {
		d.say("of rows %v brought again: %s", r.rows, f)
	}
	if err != nil {
		return err
	}
	return d.openErrors(ctx)
}

// openErrors compares how many rows the first import says are still to be put right.
func (d *desk) openErrors(ctx context.Context) error {
	d.seen = look{}
	j, err := d.job(ctx)
	if err == nil && j.OpenErrors() != int64(len(d.history.Open())) {
		d.say("the job says that %d rows are open, and those are %v", j.OpenErrors(), d.history.Open())
	}
	return err
}
