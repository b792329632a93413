package split

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/dupkeys"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// DuplicateKeys stores the rows with keys that occur several times in their file.
type DuplicateKeys interface {
	SaveDuplicateKeys(ctx context.Context, tx pgx.Tx, key job.Key, bits map[int][]byte) error
	AddDuplicateRows(ctx context.Context, tx pgx.Tx, j *job.Job, repeats []job.DuplicateRow) error
	CellMappingsOfFields(ctx context.Context, tx pgx.Tx, key job.Key, fields []string) ([]job.MappedCell, error)
}

// duplicateRows are the rows of a file that share keys.
type duplicateRows struct {
	bits   map[int][]byte     // by chunk; nil if not needed or unknown: every row is written then
	groups []job.DuplicateRow // of imports that decide them together
}

func (r *duplicateRows) save(ctx context.Context, tx pgx.Tx, store DuplicateKeys, j *job.Job) error {
	if err := store.SaveDuplicateKeys(ctx, tx, j.Key, r.bits); err != nil || len(r.groups) == 0 {
		return err
	}
	return store.AddDuplicateRows(ctx, tx, j, r.groups)
}

// parallelReads is the number of chunks that are read concurrently.
const parallelReads = 4

// duplicateFinder finds keys shared by several rows of a file, before any row is written.
type duplicateFinder struct {
	step    *Step
	job     *job.Job
	kind    entity.Keyed
	plan    *rows.Plan
	dialect *sheet.Dialect
	keys    *dupkeys.Keys
}

// keyedType returns the type of files in which rows with equal keys matter: those of upserts,
// which skip other rows that change nothing, and those of imports that decide such rows together.
func keyedType(j *job.Job, kind entity.Type) (entity.Keyed, bool) {
	k, ok := kind.(entity.Keyed)
	return k, ok && (j.Mode == rowwrite.Upsert || j.GroupsRows())
}

// loadKeyWords loads the current decisions about words in key fields.
func (s *Step) loadKeyWords(ctx context.Context, tx pgx.Tx, j *job.Job, kind entity.Type) ([]job.MappedCell, error) {
	k, looked := keyedType(j, kind)
	if !looked {
		return nil, nil
	}
	keys := k.KeyFields()
	fields := slices.DeleteFunc(rows.DecisionFields(kind.Declaration()), func(name string) bool { return !slices.Contains(keys, name) })
	if len(fields) == 0 {
		return nil, nil
	}
	return s.store.CellMappingsOfFields(ctx, tx, j.Key, fields)
}

// findDuplicates returns the rows that share a key with another row of the file.
func (l *ledger) findDuplicates(ctx context.Context, kind entity.Type, dialect *sheet.Dialect) (*duplicateRows, error) {
	none := &duplicateRows{}
	j, chunks := l.job, l.chunks
	byKeys, ok := keyedType(j, kind)
	if !ok {
		return none, nil
	}
	plan, err := rows.NewPlan(kind.Declaration(), l.locales.columns)
	if err != nil {
		return nil, err
	}
	plan.ApplyDecisions(l.words, j.AsksForValues())
	if plan, ok = plan.Subset(byKeys.KeyFields()); !ok {
		return none, nil
	}
	r := &duplicateFinder{step: l.step, job: j, kind: byKeys, plan: plan, dialect: dialect, keys: dupkeys.NewKeys(dupkeys.MaxKeys)}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallelReads)
	for i := range chunks {
		group.Go(func() error { return r.read(ctx, &chunks[i]) })
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	found := &duplicateRows{}
	if j.Mode == rowwrite.Upsert {
		found.bits = r.bits(ctx, chunks)
	}
	if j.GroupsRows() {
		found.groups = r.groups(ctx, chunks)
	}
	return found, nil
}

func (r *duplicateFinder) bits(ctx context.Context, chunks []job.Chunk) map[int][]byte {
	found, known := r.keys.Find()
	if !known {
		r.step.log.InfoContext(ctx, "duplicate keys unknown: all rows are written")
		return nil
	}
	bits := make(map[int][]byte, len(chunks))
	for i := range chunks {
		bits[chunks[i].Index] = dupkeys.Encode(found, chunks[i].FirstRow, chunks[i].Lines)
	}
	return bits
}

// read collects the keys of a chunk. Its rows are decoded as for writing. A row with an
// invalid key will not be written.
func (r *duplicateFinder) read(ctx context.Context, c *job.Chunk) error {
	body, err := r.step.files.ReadRange(ctx, r.job.ChunkFile(c), c.Offset, c.Length)
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
	decoder.Budget.Limit(ctx, nil)
	for decoder.Budget.Err() == nil && chunk.Next() {
		decoder.Add(chunk.Row())
	}
	if err := cmp.Or(decoder.Budget.Err(), chunk.Err()); err != nil {
		return fmt.Errorf("read chunk %d: %w", c.Index, err)
	}
	keys := r.keys.Chunk(decoder.Batch.Len() * len(r.kind.KeyFields()))
	for i := range decoder.Batch.Len() {
		keys.AddRow(decoder.Batch.Row(i), func(found func(key int, value string)) int { return r.kind.RowKeys(decoder.Batch, i, found) })
	}
	keys.Flush()
	return nil
}
