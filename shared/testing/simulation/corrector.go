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

// corrector is where a person puts rows of the import right that went wrong.
type corrector struct {
	*importRun
	corrections *correction.Service
	submit      *submit.Service
	history     *generate.History
	retries     []*retryRun // in the order in which they were made
}

func (p *importRun) newCorrector() (*corrector, error) {
	s, err := p.submitter()
	return &corrector{importRun: p, corrections: correction.New(p.functions.store, p.cloud, catalog.New(), sheet.DefaultLimits()), submit: s}, err
}

// objectHeads are those that there are, as far as bringing rows again looks at them.
type objectHeads struct {
	submit.Objects
	bucket *steptest.Bucket
}

// Head is what is known of an object.
func (o objectHeads) Head(ctx context.Context, key string) (object.Info, error) {
	return o.bucket.Head(ctx, key)
}

// noStarter begins no execution: each import has a cloud of its own, which begins it.
type noStarter struct{}

// Start takes its turn.
func (noStarter) Start(ctx context.Context, _ job.Ref) error {
	return doStep(ctx, "start execution", func() error { return nil })
}

func (p *importRun) declaration() *entity.Declaration {
	kind, _ := catalog.New().ByName(p.script.Type)
	return kind.Declaration()
}

// newRetry makes the play of an import that brings rows again: with a cloud of its own, and
// faults of its own.
func (d *corrector) newRetry(id job.ID, rows []int64) (*retryRun, error) {
	r := &retryRun{rows: rows, importRun: &importRun{
		Simulator: d.Simulator, Rand: d.Rand, script: d.script, ref: job.Ref{JobID: id, OrganisationID: d.ref.OrganisationID},
		scheduler: scheduler{events: make(chan *task)}, inFlight: make(map[int]int), sourceKey: d.sourceKey,
	}}
	r.cloud = &cloud{Bucket: d.cloud.Bucket, jobID: id, tokens: make(map[job.Phase]string), execution: execution{machine: d.machine}}
	r.plan = faultPlan{poison: -1, faults: d.IntN(5), concurrent: d.plan.concurrent, reconciles: d.IntN(3), planned: d.plan.planned}
	if d.script.Unordered {
		r.plan.duplicateDeliveries = d.IntN(4)
	}
	if d.chance(25) {
		r.plan.cancelAt = 1 + d.IntN(30)
	}
	r.plan.startSkipped = d.chance(20)
	var err error
	r.functions, err = r.buildFunctions()
	return r, err
}

// loadDecided are the values that were decided about, by field.
func (p *importRun) loadDecided(ctx context.Context) (map[string]map[string]bool, error) {
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
func (d *corrector) correct(ctx context.Context) error {
	if d.chance(30) {
		return d.replaceText(ctx)
	}
	given := make(map[int64]correction.Cells)
	said := d.history.DrawCorrections(d.Rand)
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
		d.record("corrects row %d: %s is %s", c.Row, c.Field, value)
	}
	if len(given) == 0 {
		return nil
	}
	checked, err := d.corrections.Correct(ctx, d.ref, given, false)
	if err != nil {
		d.report("corrections are refused: %v", err)
		return nil
	}
	kept := make(map[int64]map[string]bool)
	for _, row := range checked {
		kept[row.Row] = make(map[string]bool)
		for _, c := range row.Cells {
			kept[row.Row][c.Field] = c.Error == nil
		}
	}
	for _, c := range said {
		if kept[c.Row][c.Field] != c.Valid {
			d.report("row %d: that %s is %q is kept: %v, not %v", c.Row, c.Field, c.Cell.Raw, kept[c.Row][c.Field], c.Valid)
		}
	}
	return nil
}

// replaceText changes a text wherever it stands.
func (d *corrector) replaceText(ctx context.Context) error {
	a := d.history.DrawReplacement(d.Rand)
	if a == nil {
		return nil
	}
	d.record("corrects rows %v: %s is %q, not %q", a.Rows, a.Field, a.New.Raw, a.Old)
	where := correction.ReplaceFilter{Field: a.Field, Value: &a.Old}
	steps := []transform.Step{{Op: transform.Map, Values: map[string]string{a.Old: a.New.Raw}}}
	matched, kept := 0, 0
	for after, more := int64(0), true; more; {
		r, err := d.corrections.Replace(ctx, d.ref, where, steps, after, false)
		if err != nil {
			d.report("a correction is refused: %v", err)
			return nil
		}
		matched, kept, after, more = matched+r.Matched, kept+r.Corrected, r.Next, r.More
	}
	want := 0
	if a.Valid {
		want = len(a.Rows)
	}
	if matched != len(a.Rows) || kept != want {
		d.report("of rows %v, %d were found and %d are kept, not %d", a.Rows, matched, kept, want)
	}
	return nil
}

// requireRetryRefused asks for rows of an import whose rows cannot be brought again one by one.
func (p *importRun) requireRetryRefused(ctx context.Context, d *corrector) {
	_, err := d.submit.Retry(ctx, submit.RetryRequest{Ref: p.ref, RequestID: "again", Type: p.declaration(), AllErrors: true})
	if problem.CodeOf(err) != problem.StateConflict {
		p.report("rows that belong together are brought again: %v", err)
	}
}
