// Package split splits a job's file into chunks of rows and queues them. Nothing is queued before
// the whole file has been split, so a file that is damaged at its end fails before any of its
// rows is written. A file is always split at the same places, so a splitter that died and runs
// again only adds the messages that were not sent yet.
//
// For files that are rewritten while they are split, it also detects undetermined column locales:
// no row is processed before they are known. It counts the values of unused columns if the
// analysis has not read the whole file.
//
// Tested by shared/step: whole imports on a real database.
package split

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/changes/changeset"
	"github.com/loadbay/loadbay/shared/changes/planapply"
	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/mapping/columnmatch"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// Store reads and updates jobs and the ledger of chunks.
type Store interface {
	InOrganisation(ctx context.Context, organisation tenant.ID, f func(pgx.Tx) error) error
	Job(ctx context.Context, tx pgx.Tx, id job.ID) (*job.Job, error)
	AddChunks(ctx context.Context, tx pgx.Tx, j *job.Job, chunks []job.Chunk) error
	CompleteSplit(ctx context.Context, tx pgx.Tx, key job.Key, t job.SplitTotals) (job.Progress, bool, error)
	ReopenDeferred(ctx context.Context, tx pgx.Tx, key job.Key) ([]int, error)
	OpenChunks(ctx context.Context, tx pgx.Tx, key job.Key) ([]int, error)
	SaveBytesRead(ctx context.Context, tx pgx.Tx, key job.Key, n int64) error
	PlannedChanges(ctx context.Context, tx pgx.Tx, key job.Key, chunk int) ([]changeset.Part, error)
	planapply.Entities
	reading.Slots
	Columns
	DuplicateKeys
}

// Types finds import types; see catalog.Catalog.
type Types interface {
	Type(ctx context.Context, tx pgx.Tx, organisation tenant.ID, name string, version int) (entity.Type, error)
}

// Files reads sources and writes chunk objects.
type Files interface {
	Open(ctx context.Context, v object.Version) sheet.Source
	ReadRange(ctx context.Context, v object.Version, offset, length int64) ([]byte, error)
	Put(ctx context.Context, key, contentType string, body []byte) error
	Delete(ctx context.Context, key string) error
}

// Queue sends chunks to the processors.
type Queue interface {
	SendChunks(ctx context.Context, ref job.Ref, chunks []int) error
}

// Config sets the size of chunks.
type Config struct {
	// ChunkRows is the number of rows that one transaction writes. Measured: 1,000 rows halve the
	// throughput of 5,000; larger chunks only make a failed chunk more expensive.
	ChunkRows int `env:"CHUNK_ROWS" default:"5000"`
}

// Step is the split function.
type Step struct {
	store  Store
	files  Files
	queue  Queue
	types  Types
	config Config
	limits sheet.Limits
	log    *slog.Logger
}

// New returns the step.
func New(store Store, files Files, queue Queue, types Types, config Config, limits sheet.Limits, log *slog.Logger) (*Step, error) {
	if config.ChunkRows < 1 {
		return nil, fmt.Errorf("split: CHUNK_ROWS is %d", config.ChunkRows)
	}
	return &Step{store: store, files: files, queue: queue, types: types, config: config, limits: limits, log: log}, nil
}

// Run queues all pending chunks: at first the whole file, later the chunks with deferred rows.
func (s *Step) Run(ctx context.Context, ref job.Ref) error {
	var j *job.Job
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		j, err = s.store.Job(ctx, tx, ref.JobID)
		return err
	})
	if err != nil {
		return fmt.Errorf("split: %w", err)
	}
	ctx = telemetry.WithJob(ctx, j)
	if j.Undo != nil {
		// Only an execution with an older definition, which does not know that undos ask, gets here.
		return problem.New(problem.StateConflict, "The service was updated while this undo was being started. Undo the import again.")
	}
	if j.WholeFile && !j.IsApplying() {
		// Only an execution with an older definition, which does not know that such files ask, gets here.
		return problem.New(problem.StateConflict, "The service was updated while this import was being started. Import the file again.")
	}
	if j.Status == job.CellMapping && j.Progress.SplitComplete {
		// An earlier run has queued all chunks, but missed the confirmation, and they are done: some
		// rows wait for a person. The next state detects this.
		return nil
	}
	if j.Status != job.Processing {
		return problem.New(problem.StateConflict, "The import %s, so its file is no longer split.", j.Status.Clause())
	}
	if err := s.checkStale(ctx, j); err != nil {
		return fmt.Errorf("split: %w", err)
	}
	queue := s.openChunks
	if !j.Progress.SplitComplete {
		release, err := s.takeSlot(ctx, ref, j)
		if err != nil {
			return fmt.Errorf("split: %w", err)
		}
		defer release()
		queue = s.splitFile
	}
	chunks, err := queue(ctx, j)
	if err != nil {
		return fmt.Errorf("split: %w", err)
	}
	s.log.InfoContext(ctx, "chunks queued", "chunks", len(chunks))
	return s.queue.SendChunks(ctx, ref, chunks)
}

// takeSlot takes a slot for splitting the file if that is expensive.
func (s *Step) takeSlot(ctx context.Context, ref job.Ref, j *job.Job) (release func(), err error) {
	var columns []job.MappedColumn
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		columns, err = s.store.ColumnMappings(ctx, tx, j.Key)
		return err
	})
	if err != nil {
		return nil, err
	}
	return reading.TakeSlot(ctx, s.store, ref, j, columns)
}

// openChunks returns the unfinished chunks of a file that has been split: those with rows to be
// decided again, and those without a confirmed message.
func (s *Step) openChunks(ctx context.Context, j *job.Job) (open []int, err error) {
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		if _, err := s.store.ReopenDeferred(ctx, tx, j.Key); err != nil {
			return err
		}
		var err error
		open, err = s.store.OpenChunks(ctx, tx, j.Key)
		return err
	})
	return open, err
}

// splitFile fills the ledger and returns its chunks. Nothing is queued before that.
func (s *Step) splitFile(ctx context.Context, j *job.Job) ([]int, error) {
	began := time.Now()
	var dialect sheet.Dialect
	if err := json.Unmarshal(j.Dialect, &dialect); err != nil {
		return nil, fmt.Errorf("decode reading options of job %s: %w", j.ID, err)
	}
	kind, err := s.types.Type(ctx, nil, j.OrganisationID, j.ImportType, j.TypeVersion)
	if err != nil {
		return nil, err
	}
	out, err := s.newLedger(ctx, j, kind, &dialect)
	if err != nil {
		return nil, err
	}
	file := sheet.NewDigest(reading.TrackProgress(ctx, s.files.Open(ctx, j.ObjectVersion()), s.store, j, s.log))
	counts, err := reader.CutObserved(ctx, file, &dialect, s.config.ChunkRows, s.limits, sheet.Observer{Each: out.values.observer(), Last: out.last.Add}, out.add)
	if failed := out.uploads.Wait(); failed != nil {
		err = failed // takes precedence over later row errors
	}
	var sum string
	if err == nil {
		sum, err = file.Verify(j.SHA256)
	} else {
		err = file.Cause(err, j.SHA256)
	}
	var unused []string
	if err == nil {
		unused, err = out.values.result(j.EffectiveOptions())
	}
	if err == nil {
		err = columnmatch.BeyondError(j.EffectiveOptions(), counts)
	}
	if err != nil {
		return nil, out.deleteObjects(ctx, err)
	}
	out.locales.finish()
	found, err := out.findDuplicates(ctx, kind, &dialect)
	if err != nil {
		return nil, err
	}
	err = s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		if err := out.locales.save(ctx, tx, s.store, j.Key); err != nil {
			return err
		}
		if err := s.store.AddWarnings(ctx, tx, j.Key, slices.Concat(unused, out.last.FooterWarnings(&dialect), reading.LayoutWarnings(counts))); err != nil {
			return err
		}
		if err := out.saveChunks(ctx, tx); err != nil {
			return err
		}
		if err := found.save(ctx, tx, s.store, j); err != nil {
			return err
		}
		_, running, err := s.store.CompleteSplit(ctx, tx, j.Key, job.SplitTotals{
			Chunks: len(out.chunks), Lines: counts.Lines, Rows: counts.Rows, Blank: counts.Blank, Header: counts.Header, SHA256: sum,
		})
		if err == nil && !running {
			err = errors.New("job is no longer PROCESSING")
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	s.log.InfoContext(ctx, "file split into chunks", "chunks", len(out.chunks), "rows", counts.Rows, "lines", counts.Lines, "duration_ms", time.Since(began).Milliseconds())
	return out.indexes(), nil
}
