package process

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/entity/dupkeys"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
	"github.com/loadbay/loadbay/shared/transform"
)

// decodedRows holds the chunk's rows after all checks that need no database.
type decodedRows struct {
	batch *entity.Batch // the accepted rows
	// texts holds, for each reference field, the cell texts of the batch, one per row.
	texts    map[int]*entity.Column
	words    *rows.ErrorFormatter
	outcomes []byte                     // of each line of the chunk
	foreign  map[int64]rowwrite.Outcome // of rows of other chunks that this chunk decides
	rejected []job.RowResult            // the rejected rows
	// questions are values for which some of the rejected rows wait.
	questions []job.MappedCell
	warnings  []string // about the rows, for the job
}

// decode reads the chunk's rows into a batch. Rejected rows get their outcome here; the others
// form the batch.
func (s *Step) decode(ctx context.Context, in *chunkInput) (decodedRows, error) {
	if in.job.IsApplying() {
		return in.plannedRows(), nil
	}
	d := newRowDecoding(in)
	if err := d.decoder.SetCorrections(in.corrections); err != nil {
		return decodedRows{}, err
	}
	stopped := s.stopCheck(ctx, in, d.decoder.Budget)
	if err := s.eachRow(ctx, in, in.chunk, d.decodeRow, stopped); err != nil {
		return decodedRows{}, err
	}
	for _, c := range in.foreignChunks {
		if err := s.eachRow(ctx, in, c, d.decodeForeignRow, stopped); err != nil {
			return decodedRows{}, fmt.Errorf("decode rows of chunk %d: %w", c.Index, err)
		}
	}
	d.questions, d.warnings = d.decoder.Questions(), d.decoder.PlaceholderWarnings()
	return d.decodedRows, nil
}

// checkWork is the work of steps after which a chunk checks whether its import has ended: less than
// a second.
const checkWork = 50_000_000

// stopCheck returns a function that is called after each row. Its error ends the chunk: that of the
// context, or errStopped if the import was cancelled while expensive steps ran.
func (s *Step) stopCheck(ctx context.Context, in *chunkInput, b *transform.Budget) func() error {
	b.Limit(ctx, nil)
	next := int64(checkWork)
	return func() error {
		if b.Err() != nil || b.Spent() < next {
			return b.Err()
		}
		next = b.Spent() + checkWork
		return s.store.InOrganisation(ctx, in.job.OrganisationID, func(tx pgx.Tx) error {
			j, err := s.store.Job(ctx, tx, in.job.ID)
			if err == nil && j.Status != job.Processing {
				return errStopped
			}
			return err
		})
	}
}

// eachRow reads the rows of a chunk until stopped returns an error.
func (s *Step) eachRow(ctx context.Context, in *chunkInput, c *job.Chunk, f func(*sheet.Row), stopped func() error) error {
	body, err := s.files.ReadRange(ctx, in.job.ChunkFile(c), c.Offset, c.Length)
	if err != nil {
		return err
	}
	chunk, err := reader.OpenChunk(body, &in.dialect, sheet.Chunk{
		Index: c.Index, Offset: c.Offset, Length: c.Length, FirstRow: c.FirstRow, Lines: c.Lines, Rows: c.Rows, CRC32C: c.CRC32C,
	}, s.limits)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer chunk.Close()
	seen := 0
	for ; chunk.Next(); seen++ {
		f(chunk.Row())
		if err := stopped(); err != nil {
			return err
		}
	}
	if err := chunk.Err(); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if seen != c.Rows {
		return fmt.Errorf("expected %d rows, read %d", c.Rows, seen)
	}
	return nil
}

// rowDecoding is the state of reading one chunk.
type rowDecoding struct {
	decodedRows
	decoder *rows.Decoder
	in      *chunkInput
	partial bool // only some rows are decided: deferred rows, or those of a retry
}

func newRowDecoding(in *chunkInput) *rowDecoding {
	d := &rowDecoding{
		decoder: rows.NewDecoder(in.plan, in.job, &in.dialect, in.chunk.Rows),
		in:      in, partial: in.chunk.Outcomes != nil,
	}
	d.batch, d.texts, d.words = d.decoder.Batch, d.decoder.Texts, d.decoder.Errors
	d.batch.DuplicateKeys = dupkeys.Decode(in.chunk.FirstRow, in.chunk.Lines, in.chunk.DuplicateKeys)
	d.foreign = in.openForeignRows()
	d.outcomes = bytes.Clone(in.chunk.Outcomes)
	if !d.partial {
		d.outcomes = bytes.Repeat([]byte{byte(rowwrite.Blank)}, in.chunk.Lines)
	}
	return d
}

// decodeRow decides the outcome of one row as far as possible without the database. It skips a
// row that another chunk decides.
func (d *rowDecoding) decodeRow(r *sheet.Row) {
	i := r.Number - d.in.chunk.FirstRow
	if d.partial && !rowwrite.Outcome(d.outcomes[i]).Open() {
		return
	}
	if !d.in.keyGroups.OwnedElsewhere(r.Number) {
		d.outcomes[i] = byte(d.add(r))
	} else if !d.partial {
		d.outcomes[i] = byte(rowwrite.Pending)
	}
}

// decodeForeignRow is decodeRow for a row of another chunk.
func (d *rowDecoding) decodeForeignRow(r *sheet.Row) {
	if _, undecided := d.foreign[r.Number]; undecided {
		d.foreign[r.Number] = d.add(r)
	}
}

// add adds a row to the batch or to the rejected rows.
func (d *rowDecoding) add(r *sheet.Row) rowwrite.Outcome {
	faults := d.decoder.Add(r)
	if faults == nil {
		return rowwrite.Pending
	}
	d.rejected = append(d.rejected, job.RowResult{Row: r.Number, Outcome: d.decoder.Outcome, Errors: faults})
	return d.decoder.Outcome
}
