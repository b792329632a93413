package errorbook

import (
	"context"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

// source reads a job's rows again.
type source struct {
	*Writer
	job     *job.Job
	dialect *sheet.Dialect
	whole   sheet.Rows // of a file that is read as one, once opened
	ahead   bool       // whole's row is still to be looked at
}

// each calls do for the rows of a ledger entry.
func (s *source) each(ctx context.Context, c *job.Chunk, do func(*sheet.Row) error) error {
	if s.job.WholeFile {
		return s.eachWhole(ctx, c, do)
	}
	body, err := s.files.Range(ctx, s.job.Holding(c), c.Offset, c.Length)
	if err != nil {
		return err
	}
	rows, err := reader.OpenChunk(body, s.dialect, sheet.Chunk{
		Index: c.Index, Offset: c.Offset, Length: c.Length, FirstRow: c.FirstRow, Lines: c.Lines, Rows: c.Rows, CRC32C: c.CRC32C,
	}, s.limits)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows.Row()); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eachWhole reads a file without chunks of its own from where the last entry
// ended: entries come in file order.
func (s *source) eachWhole(ctx context.Context, c *job.Chunk, do func(*sheet.Row) error) (err error) {
	if s.whole == nil {
		if s.whole, err = reader.Open(ctx, s.files.Open(ctx, s.job.Source()), s.dialect, s.limits); err != nil {
			return err
		}
	}
	for s.ahead || s.whole.Next() {
		r := s.whole.Row()
		if s.ahead = r.Number >= c.FirstRow+int64(c.Lines); s.ahead {
			return nil
		}
		if r.Number < c.FirstRow {
			continue
		}
		if err := do(r); err != nil {
			return err
		}
	}
	if err := s.whole.Err(); err != nil {
		return fmt.Errorf("read the file again: %w", err)
	}
	return nil
}

func (s *source) close() error {
	if s.whole == nil {
		return nil
	}
	return s.whole.Close()
}
