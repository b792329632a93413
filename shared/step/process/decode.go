package process

import (
	"bytes"
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/repeated"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// decoded are the chunk's rows, as far as they can be judged without the database.
type decoded struct {
	batch *entity.Batch // the rows that can be taken
	// texts holds, for each reference field, what stood in its cells: a row of
	// the batch each.
	texts    map[int]*entity.Column
	words    *rows.Words
	outcomes []byte          // of each line of the chunk
	faulty   []job.RowResult // the rows that are not taken
	// questions are values that some of those wait for.
	questions []job.MappedCell
}

// decode reads the chunk's rows into a batch. Rows that cannot be taken get
// their outcome here; the others are the batch.
func (s *Step) decode(ctx context.Context, in *input) (decoded, error) {
	if in.job.Applies() {
		return in.planned(), nil
	}
	body, err := s.files.Range(ctx, in.job.Holding(in.chunk), in.chunk.Offset, in.chunk.Length)
	if err != nil {
		return decoded{}, err
	}
	chunk, err := reader.OpenChunk(body, &in.dialect, sheet.Chunk{
		Index: in.chunk.Index, Offset: in.chunk.Offset, Length: in.chunk.Length, FirstRow: in.chunk.FirstRow,
		Lines: in.chunk.Lines, Rows: in.chunk.Rows, CRC32C: in.chunk.CRC32C,
	}, s.limits)
	if err != nil {
		return decoded{}, fmt.Errorf("open: %w", err)
	}
	defer chunk.Close()
	d := newDecoding(in)
	if err := d.decoder.Correct(in.corrections); err != nil {
		return decoded{}, err
	}
	for chunk.Next() {
		d.row(chunk.Row())
	}
	if err := chunk.Err(); err != nil {
		return decoded{}, fmt.Errorf("read: %w", err)
	}
	if d.seen != in.chunk.Rows {
		return decoded{}, fmt.Errorf("%d rows were cut and %d were read", in.chunk.Rows, d.seen)
	}
	d.questions = d.decoder.Questions()
	return d.decoded, nil
}

// decoding is the state of reading one chunk.
type decoding struct {
	decoded
	decoder *rows.Decoder
	first   int64 // row of the chunk
	again   bool  // only some rows are decided: deferred ones, or those that a rerun brings
	seen    int
}

func newDecoding(in *input) *decoding {
	d := &decoding{
		decoder: rows.NewDecoder(in.kind, in.plan.Plan, in.job, &in.dialect, in.chunk.Rows),
		first:   in.chunk.FirstRow, again: in.chunk.Outcomes != nil,
	}
	d.batch, d.texts, d.words = d.decoder.Batch, d.decoder.Texts, d.decoder.Words
	d.batch.Repeated = repeated.Load(in.chunk.FirstRow, in.chunk.Repeated)
	d.outcomes = bytes.Clone(in.chunk.Outcomes)
	if !d.again {
		d.outcomes = bytes.Repeat([]byte{byte(job.Blank)}, in.chunk.Lines)
	}
	return d
}

// row decides the outcome of one row, as far as that is possible without the
// database.
func (d *decoding) row(r *sheet.Row) {
	d.seen++
	i := r.Number - d.first
	if d.again && !job.Outcome(d.outcomes[i]).Open() {
		return
	}
	if faults := d.decoder.Add(r); faults != nil {
		d.outcomes[i] = byte(d.decoder.Outcome)
		d.faulty = append(d.faulty, job.RowResult{Row: r.Number, Outcome: d.decoder.Outcome, Errors: faults})
		return
	}
	d.outcomes[i] = byte(job.Pending)
}
