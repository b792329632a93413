package process

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// writeRows writes a batch: all of its rows but those that the database refuses
// for what is in them.
func (s *Step) writeRows(ctx context.Context, tx pgx.Tx, w *work, b *entity.Batch) error {
	written := func(part *entity.Batch) error {
		w.take(part)
		return s.displace(ctx, tx, w, part.Displaced)
	}
	return entity.Divide(ctx, tx, b, w.writer.Write, written, func(row int64, sqlState string) {
		s.log.WarnContext(ctx, "row refused by the database", "chunk", w.chunk.Index, "row", row, "sqlstate", sqlState)
	})
}
