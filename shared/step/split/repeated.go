package split

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/dupkeys"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// Repetitions keeps which rows have keys that other rows of their file have.
type Repetitions interface {
	SaveRepeated(ctx context.Context, tx pgx.Tx, key job.Key, bits map[int][]byte) error
	AddRepeats(ctx context.Context, tx pgx.Tx, j *job.Job, repeats []job.Repeat) error
	CellMappingsOf(ctx context.Context, tx pgx.Tx, key job.Key, fields []string) ([]job.MappedCell, error)
}

// repeats are the rows of a file that share keys.
type repeats struct {
	bits   map[int][]byte // by chunk; nil where that is of no use, or not known: every row is written then
	groups []job.Repeat   // of a plan
}

func (r *repeats) keep(ctx context.Context, tx pgx.Tx, store Repetitions, j *job.Job) error {
	if err := store.SaveRepeated(ctx, tx, j.Key, r.bits); err != nil || len(r.groups) == 0 {
		return err
	}
	return store.AddRepeats(ctx, tx, j, r.groups)
}

// readers is how many chunks are read at once.
const readers = 4

// repetitions looks for keys that several rows of a file have, before any row is written.
type repetitions struct {
	step    *Step
	job     *job.Job
	kind    entity.Keyed
	plan    *rows.Plan
	dialect *sheet.Dialect
	keys    *dupkeys.Keys
}

// keyed returns the type of files whose rows with equal keys matter: those of upserts, which
// leave the others alone where they change nothing, and of plans, which rehearse such rows
// together.
func keyed(j *job.Job, kind entity.Type) (entity.Keyed, bool) {
	k, ok := kind.(entity.Keyed)
	return k, ok && (entity.Mode(j.Mode) == entity.Upsert || j.Rehearses())
}

// keyWords are what has been said so far of words in the fields that are keys.
func (s *Step) keyWords(ctx context.Context, tx pgx.Tx, j *job.Job, kind entity.Type) ([]job.MappedCell, error) {
	k, looked := keyed(j, kind)
	if !looked {
		return nil, nil
	}
	keys := k.KeyFields()
	fields := slices.DeleteFunc(rows.WordFields(kind.Declaration()), func(name string) bool { return !slices.Contains(keys, name) })
	if len(fields) == 0 {
		return nil, nil
	}
	return s.store.CellMappingsOf(ctx, tx, j.Key, fields)
}

// repeated returns which rows have a key that another row of the file has as well.
func (l *ledger) repeated(ctx context.Context, kind entity.Type, dialect *sheet.Dialect) (*repeats, error) {
	none := &repeats{}
	j, chunks := l.job, l.chunks
	byKeys, ok := keyed(j, kind)
	if !ok {
		return none, nil
	}
	plan, err := rows.NewPlan(kind.Declaration(), l.locales.columns)
	if err != nil {
		return nil, err
	}
	plan.Heed(l.words, j.AsksForValues())
	if plan, ok = plan.Only(byKeys.KeyFields()); !ok {
		return none, nil
	}
	r := &repetitions{step: l.step, job: j, kind: byKeys, plan: plan, dialect: dialect, keys: dupkeys.NewKeys(dupkeys.MaxKeys)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(readers)
	for i := range chunks {
		group.Go(func() error { return r.read(ctx, &chunks[i]) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found := &repeats{}
	if entity.Mode(j.Mode) == entity.Upsert {
		found.bits = r.bits(ctx, chunks)
	}
	if j.Rehearses() {
		found.groups = r.groups(ctx, chunks)
	}
	return found, nil
}

func (r *repetitions) bits(ctx context.Context, chunks []job.Chunk) map[int][]byte {
	found, known := r.keys.Find()
	if !known {
		r.step.log.InfoContext(ctx, "which keys repeat is not known: every row is written")
		return nil
	}
	bits := make(map[int][]byte, len(chunks))
	for i := range chunks {
		bits[chunks[i].Index] = dupkeys.Bits(found, chunks[i].FirstRow, chunks[i].Lines)
	}
	return bits
}

// read collects the keys of a chunk, whose rows are decoded as they will be when they are
// written. A row whose key cannot be decoded will not be.
func (r *repetitions) read(ctx context.Context, c *job.Chunk) error {
	body, err := r.step.files.Range(ctx, r.job.Holding(c), c.Offset, c.Length)
	if err != nil {
		return err
	}
	chunk, err := reader.OpenChunk(body, r.dialect, sheet.Chunk{
		Index: c.Index, Offset: c.Offset, Length: c.Length, FirstRow: c.FirstRow, Lines: c.Lines, Rows: c.Rows, CRC32C: c.CRC32C,
	}, r.step.limits)
	if err != nil {
		return fmt.Errorf("open chunk %d: %w", c.Index, err)
	}
	defer chunk.Close()
	decoder := rows.NewDecoder(r.plan, r.job, r.dialect, c.Rows)
	for chunk.Next() {
		decoder.Add(chunk.Row())
	}
	if err := chunk.Err(); err != nil {
		return fmt.Errorf("read chunk %d: %w", c.Index, err)
	}
	keys := r.keys.Chunk(decoder.Batch.Len() * len(r.kind.KeyFields()))
	for i := range decoder.Batch.Len() {
		keys.Add(decoder.Batch.Row(i), func(found func(key int, value string)) int { return r.kind.RowKeys(decoder.Batch, i, found) })
	}
	keys.Done()
	return nil
}
