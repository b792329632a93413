package process

import (
	"bytes"
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// decode reads the chunk's rows into a batch. Rows that cannot be taken get
// their outcome here; the others are the batch.
func (s *Step) decode(ctx context.Context, w *work) error {
	body, err := s.files.Range(ctx, w.chunk.Key, w.chunk.Offset, w.chunk.Length)
	if err != nil {
		return err
	}
	chunk, err := reader.OpenChunk(body, &w.dialect, sheet.Chunk{
		Index: w.chunk.Index, Offset: w.chunk.Offset, Length: w.chunk.Length, FirstRow: w.chunk.FirstRow,
		Lines: w.chunk.Lines, Rows: w.chunk.Rows, CRC32C: w.chunk.CRC32C,
	}, s.limits)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	defer chunk.Close()
	d := newDecoding(w)
	for chunk.Next() {
		d.row(chunk.Row())
	}
	if err := chunk.Err(); err != nil {
		return fmt.Errorf("read: %w", err)
	}
	if d.seen != w.chunk.Rows {
		return fmt.Errorf("%d rows were cut and %d were read", w.chunk.Rows, d.seen)
	}
	return nil
}

// decoding is the state of reading one chunk.
type decoding struct {
	*work
	decoder *rows.Decoder
	again   bool // only deferred rows are decided
	seen    int
}

func newDecoding(w *work) *decoding {
	d := &decoding{work: w, decoder: rows.NewDecoder(w.kind, w.plan.Plan, w.job, &w.dialect, w.chunk.Rows)}
	w.batch, w.texts = d.decoder.Batch, d.decoder.Texts
	d.again = w.chunk.Outcomes != nil
	w.before = job.Count(w.chunk.Outcomes)
	w.outcomes = bytes.Clone(w.chunk.Outcomes)
	if !d.again {
		w.outcomes = bytes.Repeat([]byte{byte(job.Blank)}, w.chunk.Lines)
	}
	return d
}

// row decides what becomes of one row as far as it can be told without the
// database.
func (d *decoding) row(r *sheet.Row) {
	d.seen++
	at := r.Number - d.chunk.FirstRow
	if d.again && job.Outcome(d.outcomes[at]) != job.Deferred {
		return
	}
	if faults := d.decoder.Add(r); faults != nil {
		d.outcomes[at] = byte(job.Errored)
		d.results = append(d.results, job.RowResult{Row: r.Number, Outcome: job.Errored, Faults: faults})
		return
	}
	d.outcomes[at] = byte(job.Pending)
}
