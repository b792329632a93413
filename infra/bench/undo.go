package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// measureUndo measures a plan for a file that changes some of the existing rows, applying it,
// and undoing that; then undoing an import of new rows.
func (b *bench) measureUndo(ctx context.Context, subj benchTable, rows int) error {
	changed, err := b.changeRows(ctx, subj, changedPercent)
	if err != nil {
		return err
	}
	id, err := b.planAndApply(ctx, subj, rows)
	if err != nil {
		return err
	}
	if err := b.undo(ctx, subj, rows, id, fmt.Sprintf("undo, %d %% changed", changedPercent), changed); err != nil {
		return err
	}
	if err := b.resetTable(ctx, subj); err != nil {
		return err
	}
	if id, err = b.measureStep(ctx, subj, rows, step{"csv", "insert", "new", rawclient.Summary{Created: int64(rows)}}); err != nil {
		return err
	}
	return b.undo(ctx, subj, rows, id, "undo, new", int64(rows))
}

// measurePart measures one operation on an import; f returns its duration.
func (b *bench) measurePart(ctx context.Context, subj benchTable, rows int, what string, f func() (time.Duration, error)) error {
	var took time.Duration
	m, err := b.meter.measure(ctx, func() (err error) {
		took, err = f()
		return err
	})
	if err != nil {
		return err
	}
	m.took = took
	return b.record(ctx, measurement{Rows: rows, Subject: subj.name, What: what, timedUsage: m})
}

// planAndApply plans and applies the file and returns the import.
func (b *bench) planAndApply(ctx context.Context, subj benchTable, rows int) (id string, err error) {
	path, err := b.writeSubjectFile(subj, "csv", rows)
	if err != nil {
		return "", err
	}
	var j *rawclient.Job
	err = b.measurePart(ctx, subj, rows, fmt.Sprintf("plan, %d %% changed", changedPercent), func() (took time.Duration, err error) {
		j, took, err = b.uploadPlan(ctx, subj, path)
		return took, err
	})
	if err != nil {
		return "", err
	}
	return j.Identifier, b.measurePart(ctx, subj, rows, "apply", func() (time.Duration, error) {
		began := time.Now()
		if err := b.api.Post(ctx, "/api/imports/"+j.Identifier+"/apply", map[string]string{"digest": j.Plan.Digest}, nil); err != nil {
			return 0, err
		}
		return b.waitCompleted(ctx, j.Identifier, began)
	})
}

// uploadPlan uploads the file as a plan and waits until it can be approved.
func (b *bench) uploadPlan(ctx context.Context, subj benchTable, path string) (j *rawclient.Job, took time.Duration, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	j, err = b.api.Upload(ctx, rawclient.CreateRequest{
		ImportType: subj.kind, Filename: filepath.Base(path), SizeBytes: info.Size(), Mode: "upsert", AutoStart: true, Plan: true,
	}, f)
	if err != nil {
		return nil, 0, err
	}
	began := time.Now()
	j, err = b.api.Wait(ctx, j.Identifier, pollEvery, nil, func(j *rawclient.Job) bool {
		return j.Ended() || j.Plan != nil && j.Plan.Digest != "" && j.WaitingFor == "APPROVAL"
	})
	if err != nil {
		return nil, 0, err
	}
	if j.Ended() {
		return nil, 0, fmt.Errorf("bench: the plan %s is %s", j.Identifier, j.Status)
	}
	return j, time.Since(began), nil
}

// undo undoes an import and fails unless all of it was reverted.
func (b *bench) undo(ctx context.Context, subj benchTable, rows int, id, what string, changes int64) error {
	return b.measurePart(ctx, subj, rows, what, func() (took time.Duration, err error) {
		began := time.Now()
		var j rawclient.Job
		if err := b.api.Post(ctx, "/api/imports/"+id+"/undo", map[string]string{}, &j); err != nil {
			return 0, err
		}
		if took, err = b.waitCompleted(ctx, j.Identifier, began); err != nil {
			return 0, err
		}
		got, err := b.api.Summary(ctx, j.Identifier)
		if want := (rawclient.Summary{Updated: changes}); err == nil && got != want {
			err = fmt.Errorf("bench: undo %s ended with %+v; expected %+v", j.Identifier, got, want)
		}
		return took, err
	})
}

// pollEvery is long enough to leave the cores to the work.
const pollEvery = 250 * time.Millisecond

// waitCompleted waits for an import and returns the time since began.
func (b *bench) waitCompleted(ctx context.Context, id string, began time.Time) (time.Duration, error) {
	j, err := b.api.Wait(ctx, id, pollEvery, nil, (*rawclient.Job).Ended)
	if err != nil {
		return 0, err
	}
	if j.Status != "COMPLETED" || j.CompletedAt == nil {
		return 0, fmt.Errorf("bench: import %s is %s: %+v", id, j.Status, j.Failure)
	}
	return j.CompletedAt.Sub(began), nil
}
