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

// corrector simulates a person who corrects failed rows of the import.
type corrector struct {
	*importRun
	corrections *correction.Service
	submit      *submit.Service
	history     *generate.History
	retries     []*retryRun // in order of creation
}

func (p *importRun) newCorrector() (*corrector, error) {
	s, err := p.submitter()
	return &corrector{importRun: p, corrections: correction.New(p.functions.store, p.cloud, catalog.New(), sheet.DefaultLimits()), submit: s}, err
}

// objectHeads returns object metadata, as far as retries need it.
type objectHeads struct {
	submit.Objects
	bucket *steptest.Bucket
}

// Head returns the metadata of an object.
func (o objectHeads) Head(ctx context.Context, key string) (object.Info, error) {
	return o.bucket.Head(ctx, key)
}

// noStarter starts no execution: each import has its own cloud, which starts it.
type noStarter struct{}

// Start only takes a step of the schedule.
func (noStarter) Start(ctx context.Context, _ job.Ref) error {
	return doStep(ctx, "start execution", func() error { return nil })
}

func (p *importRun) declaration() *entity.Declaration {
	kind, _ := catalog.New().ByName(p.script.Type)
	return kind.Declaration()
}

// newRetry creates the run of a retry, with its own cloud and its own faults.
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

// loadDecided returns the decided values by field.
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

// correct corrects fields of rows, one by one or by replacing a text.
func (d *corrector) correct(ctx context.Context) error {
	if d.chance(30) {
		return d.replaceText(ctx)
	}
	given := make(map[int64]correction.Cells)
	corrections := d.history.DrawCorrections(d.Rand)
	for _, c := range corrections {
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
	checked, err := d.corrections.Correct(ctx, d.ref, "", given, false)
	if err != nil {
		d.report("corrections are rejected: %v", err)
		return nil
	}
	kept := make(map[int64]map[string]bool)
	for _, row := range checked {
		kept[row.Row] = make(map[string]bool)
		for _, c := range row.Cells {
			kept[row.Row][c.Field] = c.Error == nil
		}
	}
	for _, c := range corrections {
		if kept[c.Row][c.Field] != c.Valid {
			d.report("row %d: correction of %s to %q saved: %v, want %v", c.Row, c.Field, c.Cell.Raw, kept[c.Row][c.Field], c.Valid)
		}
	}
	return nil
}

// replaceText replaces a text wherever it occurs.
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
		r, err := d.corrections.Replace(ctx, d.ref, "", where, steps, after, false)
		if err != nil {
			d.report("a correction is rejected: %v", err)
			return nil
		}
		matched, kept, after, more = matched+r.Matched, kept+r.Corrected, r.Next, r.More
	}
	want := 0
	if a.Valid {
		want = len(a.Rows)
	}
	if matched != len(a.Rows) || kept != want {
		d.report("of rows %v, %d were found and %d are saved, want %d", a.Rows, matched, kept, want)
	}
	return nil
}

// requireRetryRefused requests a retry of an import that cannot retry individual rows.
func (p *importRun) requireRetryRefused(ctx context.Context, d *corrector) {
	_, err := d.submit.Retry(ctx, submit.RetryRequest{Ref: p.ref, RequestID: "again", Type: p.declaration(), AllErrors: true})
	if problem.CodeOf(err) != problem.StateConflict {
		p.report("rows with shared keys are retried: %v", err)
	}
}
