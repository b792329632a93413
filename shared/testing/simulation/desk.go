package simulation

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/imports/correction"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/testing/simulation/generate"
	"github.com/loadbay/loadbay/shared/testing/steptest"
	"github.com/loadbay/loadbay/shared/transform"
)

// desk is where a person puts rows of the import right that went wrong.
type desk struct {
	*play
	rows    *correction.Service
	submit  *submit.Service
	history *generate.History
	reruns  []*rerun // in the order in which they were made
}

func (p *play) openDesk() (*desk, error) {
	s, err := p.submitter()
	return &desk{play: p, rows: correction.New(p.functions.store, p.cloud, catalog.New(), sheet.DefaultLimits()), submit: s}, err
}

// objects are those that there are, as far as bringing rows again looks at them.
type objects struct {
	submit.Objects
	bucket *steptest.Bucket
}

// Head is what is known of an object.
func (o objects) Head(ctx context.Context, key string) (object.Info, error) {
	return o.bucket.Head(ctx, key)
}

// starter begins no execution: each import has a cloud of its own, which begins it.
type starter struct{}

// Start takes its turn.
func (starter) Start(ctx context.Context, _ job.Ref) error {
	return do(ctx, "start execution", func() error { return nil })
}

func (p *play) declaration() *entity.Declaration {
	kind, _ := catalog.New().ByName(p.script.Type)
	return kind.Declaration()
}

// rerun makes the play of an import that brings rows again: with a cloud of its own, and
// faults of its own.
func (d *desk) rerun(id job.ID, rows []int64) (*rerun, error) {
	r := &rerun{rows: rows, play: &play{
		Stage: d.Stage, Rand: d.Rand, script: d.script, ref: job.Ref{JobID: id, OrganisationID: d.ref.OrganisationID},
		scheduler: scheduler{events: make(chan *task)}, inFlight: make(map[int]int), sourceKey: d.sourceKey,
	}}
	r.cloud = &cloud{Bucket: d.cloud.Bucket, jobID: id, tokens: make(map[job.Phase]string), execution: execution{machine: d.machine}}
	r.plan = plan{poison: -1, faults: d.IntN(5), together: d.plan.together, reconciles: d.IntN(3), planned: d.plan.planned}
	if d.script.Scattered {
		r.plan.repeats = d.IntN(4)
	}
	if d.chance(25) {
		r.plan.cancelAt = 1 + d.IntN(30)
	}
	r.plan.unaccepted = d.chance(20)
	var err error
	r.functions, err = r.build()
	return r, err
}

// decided are the values that were decided about, by field.
func (p *play) decided(ctx context.Context) (map[string]map[string]bool, error) {
	rows, err := p.admin.Query(ctx, `
		SELECT m.target_field, m.source_value
		FROM import_cell_mappings AS m JOIN import_jobs AS j ON j.id = m.job_id
		WHERE j.uuid = $1 AND m.status <> $2`, p.ref.JobID, job.Unresolved)
	if err != nil {
		return nil, err
	}
	decided := make(map[string]map[string]bool)
	var field, value string
	_, err = pgx.ForEachRow(rows, []any{&field, &value}, func() error {
		if decided[field] == nil {
			decided[field] = make(map[string]bool)
		}
		decided[field][value] = true
		return nil
	})
	return decided, err
}

// correct says what fields of rows are to be read as, one by one or alike.
func (d *desk) correct(ctx context.Context) error {
	if d.chance(30) {
		return d.replace(ctx)
	}
	given := make(map[int64]correction.Cells)
	said := d.history.Corrections(d.Rand)
	for _, c := range said {
		if given[c.Row] == nil {
			given[c.Row] = make(correction.Cells)
		}
		value, err := json.Marshal(c.Cell.Raw)
		if err != nil {
			return err
		}
		if c.Cell.Raw == "" {
			value = []byte("null")
		}
		given[c.Row][c.Field] = value
		d.act("corrects row %d: %s is %s", c.Row, c.Field, value)
	}
	if len(given) == 0 {
		return nil
	}
	checked, err := d.rows.Take(ctx, d.ref, given, false)
	if err != nil {
		d.say("corrections are refused: %v", err)
		return nil
	}
	kept := make(map[int64]map[string]bool)
	for _, row := range checked {
		kept[row.Row] = make(map[string]bool)
		for _, c := range row.Cells {
			kept[row.Row][c.Field] = c.Fault == nil
		}
	}
	for _, c := range said {
		if kept[c.Row][c.Field] != c.Kept {
			d.say("row %d: that %s is %q is kept: %v, not %v", c.Row, c.Field, c.Cell.Raw, kept[c.Row][c.Field], c.Kept)
		}
	}
	return nil
}

// replace changes a text wherever it stands.
func (d *desk) replace(ctx context.Context) error {
	a := d.history.Alike(d.Rand)
	if a == nil {
		return nil
	}
	d.act("corrects rows %v: %s is %q, not %q", a.Rows, a.Field, a.New.Raw, a.Old)
	where := correction.Where{Field: a.Field, Value: &a.Old}
	steps := []transform.Step{{Op: transform.Map, Values: map[string]string{a.Old: a.New.Raw}}}
	matched, kept := 0, 0
	for after, more := int64(0), true; more; {
		r, err := d.rows.Replace(ctx, d.ref, where, steps, after, false)
		if err != nil {
			d.say("a correction is refused: %v", err)
			return nil
		}
		matched, kept, after, more = matched+r.Matched, kept+r.Corrected, r.Next, r.More
	}
	want := 0
	if a.Kept {
		want = len(a.Rows)
	}
	if matched != len(a.Rows) || kept != want {
		d.say("of rows %v, %d were found and %d are kept, not %d", a.Rows, matched, kept, want)
	}
	return nil
}

// refusesRetry asks for rows of an import whose rows cannot be brought again one by one.
func (p *play) refusesRetry(ctx context.Context, d *desk) {
	_, err := d.submit.Rerun(ctx, submit.RerunRequest{Ref: p.ref, RequestID: "again", Type: p.declaration(), AllErrors: true})
	if problem.CodeOf(err) != problem.StateConflict {
		p.say("rows that belong together are brought again: %v", err)
	}
}
