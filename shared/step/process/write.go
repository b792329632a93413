package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// writeRows writes the batch: all of its rows but those that the database refuses
// for what is in them.
func (s *Step) writeRows(ctx context.Context, tx pgx.Tx, w *work) error {
	if err := s.bind(ctx, tx, w); err != nil {
		return err
	}
	written := func(part *entity.Batch) error {
		w.take(part)
		return s.displace(ctx, tx, w, part.Displaced)
	}
	return entity.Divide(ctx, tx, w.batch, w.writer.Write, written, func(row int64, sqlState string) {
		s.log.WarnContext(ctx, "row refused by the database", "chunk", w.chunk.Index, "row", row, "sqlstate", sqlState)
	})
}
