package split

import (
	"bytes"
	"context"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/reading"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// newLedger prepares the ledger, with what is known of the file's columns so far.
func (s *Step) newLedger(ctx context.Context, j *job.Job, kind entity.Type, dialect *sheet.Dialect) (*ledger, error) {
	out := &ledger{step: s, job: j}
	out.uploads, out.failed = errgroup.WithContext(ctx)
	out.uploads.SetLimit(parallelUploads)
	var columns []job.MappedColumn
	err := s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) (err error) {
		if columns, err = s.store.ColumnMappings(ctx, tx, j.Key); err != nil {
			return err
		}
		out.words, err = s.loadKeyWords(ctx, tx, j, kind)
		return err
	})
	out.locales = newLocaleDetector(kind.Declaration(), columns, dialect)
	out.values = newValueCounter(kind.Declaration(), columns)
	return out, err
}

// flushBatch is the number of chunks that are saved in one transaction.
const flushBatch = 100

// ledger collects chunks and saves them in batches.
type ledger struct {
	step    *Step
	job     *job.Job
	locales *localeDetector
	values  *valueCounter
	last    reading.Tail     // the last rows
	words   []job.MappedCell // decisions about words in key fields
	chunks  []job.Chunk
	stored  int      // number of chunks saved, in order
	objects []string // keys of chunks with their own objects
	uploads *errgroup.Group
	failed  context.Context // done once an upload has failed
}

// parallelUploads is the number of chunks that are uploaded while the next ones are split.
// Uploading them one after the other would take longer than everything else.
const parallelUploads = 4

func (l *ledger) add(ctx context.Context, c sheet.Chunk, body []byte) error {
	chunk := job.Chunk{
		JobKey: l.job.Key, Index: c.Index, Key: l.job.ObjectKey, Offset: c.Offset, Length: c.Length,
		FirstRow: c.FirstRow, Lines: c.Lines, Rows: c.Rows, CRC32C: c.CRC32C,
	}
	if body != nil {
		chunk.Key, chunk.Offset, chunk.Length = l.job.ChunkKey(c.Index), 0, int64(len(body))
		if err := l.locales.add(c, body); err != nil {
			return err
		}
		if err := l.upload(chunk.Key, bytes.Clone(body)); err != nil {
			return err
		}
	}
	l.chunks = append(l.chunks, chunk)
	if len(l.chunks)-l.stored < flushBatch {
		return nil
	}
	return l.flush(ctx)
}

// upload starts uploading a chunk.
func (l *ledger) upload(key string, body []byte) error {
	if l.failed.Err() != nil {
		return context.Cause(l.failed)
	}
	l.objects = append(l.objects, key)
	l.uploads.Go(func() error { return l.step.files.Put(l.failed, key, "application/octet-stream", body) })
	return nil
}

func (l *ledger) flush(ctx context.Context) error {
	err := l.step.store.InOrganisation(ctx, l.job.OrganisationID, func(tx pgx.Tx) error { return l.saveChunks(ctx, tx) })
	l.stored = len(l.chunks)
	return err
}

// saveChunks saves pending chunks. The last ones are saved in the transaction that completes the
// splitting.
func (l *ledger) saveChunks(ctx context.Context, tx pgx.Tx) error {
	if l.stored == len(l.chunks) {
		return nil
	}
	return l.step.store.AddChunks(ctx, tx, l.job, l.chunks[l.stored:])
}

// indexes returns the indexes of the chunks.
func (l *ledger) indexes() []int {
	all := make([]int, len(l.chunks))
	for i := range l.chunks {
		all[i] = l.chunks[i].Index
	}
	return all
}

// deleteObjects deletes the objects of a file that cannot be imported, since they would only
// remain until the purge, and returns the reason. After any other error a retry overwrites them.
func (l *ledger) deleteObjects(ctx context.Context, because error) error {
	if problem.CodeOf(because) == problem.Internal {
		return because
	}
	for _, key := range l.objects {
		if err := l.step.files.Delete(ctx, key); err != nil {
			l.step.log.WarnContext(ctx, "delete objects of rejected file; purge will delete them", "error", err)
			break
		}
	}
	return because
}
