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

// Notes keeps how much of a file has been read.
type Notes interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	BytesRead(ctx context.Context, tx pgx.Tx, key job.Key, n int64) error
}

// noteEvery is how often it is noted how much has been read: rarely, as it is written to
// the job's row, and often enough for whoever looks on.
const noteEvery = time.Second

// Watch wraps the file of a job so that it is noted now and then how much of it has been
// read, in a transaction of its own. What is read twice counts twice, up to the file's
// size. Notes that fail are lost: they are for those who look on.
func Watch(ctx context.Context, file sheet.Source, notes Notes, j *job.Job, log *slog.Logger) sheet.Source {
	return &watched{Source: file, ctx: ctx, notes: notes, job: j, log: log, noted: time.Now()}
}

type watched struct {
	sheet.Source
	ctx   context.Context
	notes Notes
	job   *job.Job
	log   *slog.Logger

	mu    sync.Mutex
	read  int64
	noted time.Time
}

// ReadAt implements io.ReaderAt.
func (w *watched) ReadAt(p []byte, offset int64) (int, error) {
	n, err := w.Source.ReadAt(p, offset)
	if read, due := w.count(n); due {
		w.note(read)
	}
	return n, err
}

// count adds to what has been read, and reports whether it is time for a note.
func (w *watched) count(n int) (read int64, due bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.read = min(w.read+int64(n), w.Size())
	if due = time.Since(w.noted) >= noteEvery; due {
		w.noted = time.Now()
	}
	return w.read, due
}

func (w *watched) note(read int64) {
	err := w.notes.InOrganisation(w.ctx, w.job.OrganisationID, func(tx pgx.Tx) error { return w.notes.BytesRead(w.ctx, tx, w.job.Key, read) })
	if err != nil {
		w.log.InfoContext(w.ctx, "progress is not noted", "error", err)
	}
}
