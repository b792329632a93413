package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loadbay/loadbay/infra/local/client"
)

// reversible measures a plan of a file of which a part changes what is there, applying it,
// and undoing that; then undoing an import of new rows.
func (b *bench) reversible(ctx context.Context, subj subject, rows int, copied time.Duration) error {
	changed, err := b.change(ctx, subj)
	if err != nil {
		return err
	}
	show := func(what string, took time.Duration) error {
		changes, err := b.changeSet(ctx)
		if err == nil {
			b.print(figure{rows: rows, subject: subj, what: what, took: took, copied: copied, changes: changes})
		}
		return err
	}
	id, err := b.planned(ctx, subj, rows, show)
	if err != nil {
		return err
	}
	if err := b.undo(ctx, id, fmt.Sprintf("undo, %d %% changed", changing), changed, show); err != nil {
		return err
	}
	if err := b.prepare(ctx, subj); err != nil {
		return err
	}
	f, err := b.step(ctx, subj, rows, step{"csv", "insert", "new", client.Summary{Created: int64(rows)}}, copied)
	if err != nil {
		return err
	}
	b.print(f)
	return b.undo(ctx, f.job, "undo, new", int64(rows), show)
}

// planned has the file rehearsed and applied, and returns the import.
func (b *bench) planned(ctx context.Context, subj subject, rows int, show func(string, time.Duration) error) (id string, err error) {
	path, err := b.write(subj, "csv", rows)
	if err != nil {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	j, err := b.api.Upload(ctx, client.Create{
		ImportType: subj.kind, Filename: filepath.Base(path), SizeBytes: info.Size(), Mode: "upsert", AutoStart: true, Plan: true,
	}, f)
	if err != nil {
		return "", err
	}
	id = j.Identifier
	began := time.Now()
	if j, err = b.api.Wait(ctx, id, pollEvery, nil, func(j *client.Job) bool {
		return j.Ended() || j.Plan != nil && j.Plan.Digest != "" && j.WaitingFor == "APPROVAL"
	}); err != nil {
		return "", err
	}
	if j.Ended() {
		return "", fmt.Errorf("bench: the plan %s is %s", id, j.Status)
	}
	if err := show(fmt.Sprintf("plan, %d %% changed", changing), time.Since(began)); err != nil {
		return "", err
	}
	began = time.Now()
	if err := b.api.Post(ctx, "/api/imports/"+id+"/apply", map[string]string{"digest": j.Plan.Digest}, nil); err != nil {
		return "", err
	}
	took, err := b.completed(ctx, id, began)
	if err != nil {
		return "", err
	}
	return id, show("apply", took)
}

// undo takes an import back, and fails unless all of it went.
func (b *bench) undo(ctx context.Context, id, what string, changes int64, show func(string, time.Duration) error) error {
	if _, err := b.database.Exec(ctx, "CHECKPOINT"); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	began := time.Now()
	var j client.Job
	if err := b.api.Post(ctx, "/api/imports/"+id+"/undo", map[string]string{}, &j); err != nil {
		return err
	}
	took, err := b.completed(ctx, j.Identifier, began)
	if err != nil {
		return err
	}
	got, err := b.api.Summary(ctx, j.Identifier)
	if err != nil {
		return err
	}
	if want := (client.Summary{Updated: changes}); got != want {
		return fmt.Errorf("bench: undo %s ended with %+v; expected %+v", j.Identifier, got, want)
	}
	return show(what, took)
}

// pollEvery leaves the cores to the work.
const pollEvery = 250 * time.Millisecond

// completed waits for an import and returns how long it took from a moment on.
func (b *bench) completed(ctx context.Context, id string, began time.Time) (time.Duration, error) {
	j, err := b.api.Wait(ctx, id, pollEvery, nil, (*client.Job).Ended)
	if err != nil {
		return 0, err
	}
	if j.Status != "COMPLETED" || j.CompletedAt == nil {
		return 0, fmt.Errorf("bench: import %s is %s: %+v", id, j.Status, j.Failure)
	}
	return j.CompletedAt.Sub(began), nil
}
