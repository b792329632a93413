package reading

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/sheet"
)

// ProgressStore saves how much of a file has been read.
type ProgressStore interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	SaveBytesRead(ctx context.Context, tx pgx.Tx, key job.Key, n int64) error
}

// progressInterval is the interval between progress updates: long, because each update
// writes the job's row, yet short enough for people who watch the import.
const progressInterval = time.Second

// TrackProgress wraps the file of a job so that the bytes read are saved at intervals, each
// time in a separate transaction. Bytes read twice count twice, up to the file's size.
// Failed updates are dropped because progress is only displayed.
func TrackProgress(ctx context.Context, file sheet.Source, notes ProgressStore, j *job.Job, log *slog.Logger) sheet.Source {
	return &trackedSource{Source: file, ctx: ctx, notes: notes, job: j, log: log, savedAt: time.Now()}
}

type trackedSource struct {
	sheet.Source
	ctx   context.Context
	notes ProgressStore
	job   *job.Job
	log   *slog.Logger

	mu      sync.Mutex
	read    int64
	savedAt time.Time
}

// ReadAt implements io.ReaderAt.
func (w *trackedSource) ReadAt(p []byte, offset int64) (int, error) {
	n, err := w.Source.ReadAt(p, offset)
	if read, due := w.count(n); due {
		w.saveProgress(read)
	}
	return n, err
}

// count adds to the bytes read, and reports whether an update is due.
func (w *trackedSource) count(n int) (read int64, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = min(w.read+int64(n), w.Size())
	if due = time.Since(w.savedAt) >= progressInterval; due {
		w.savedAt = time.Now()
	}
	return w.read, due
}

func (w *trackedSource) saveProgress(read int64) {
	err := w.notes.InOrganisation(w.ctx, w.job.OrganisationID, func(tx pgx.Tx) error { return w.notes.SaveBytesRead(w.ctx, tx, w.job.Key, read) })
	if err != nil {
		w.log.InfoContext(w.ctx, "record progress", "error", err)
	}
}
