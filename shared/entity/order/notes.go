package order

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// What became of a row that was valid, as an upload notes it.
const (
	statusCreated = "CREATED"
	statusSkipped = "SKIPPED_DUPLICATE"
)

// rowNotes is what an upload keeps of rows: how each was recognised, and the order that it makes.
// An order that is only planned has its id by then.
type rowNotes struct{ rows, status, keys, bases, orders entity.Column }

// WriteNotes keeps what became of the rows of a batch.
func (*Type) WriteNotes(ctx context.Context, tx pgx.Tx, b *entity.Batch) error {
	n := b.Notes.(*rowNotes)
	_, err := entity.Exec(ctx, tx, `
		INSERT INTO bulk_upload_row (organisation_id, job_id, row_number, status, idempotency_key, idempotency_basis, order_id)
		SELECT $1, $2, v.*
		FROM unnest($3::int8[], $4::text[], $5::text[], $6::text[], $7::int8[]) AS v`,
		[]entity.Param{
			entity.Int64Param(b.Organisation), entity.Int64Param(b.JobKey),
			entity.ArrayParam(&n.rows), entity.ArrayParam(&n.status), entity.ArrayParam(&n.keys), entity.ArrayParam(&n.bases), entity.ArrayParam(&n.orders),
		})
	if err != nil {
		return fmt.Errorf("keep what became of rows: %w", err)
	}
	return nil
}

// WriteStaleNotes notes that planned rows have made no order: somebody else had done so by then.
func (*Type) WriteStaleNotes(ctx context.Context, tx pgx.Tx, organisation tenant.ID, source int64, rows []int64) error {
	places := entity.NewColumn(entity.Integer, len(rows))
	for _, row := range rows {
		places.AppendInt64(row)
	}
	if err := markDuplicates(ctx, tx, organisation, source, &places); err != nil {
		return fmt.Errorf("note stale rows: %w", err)
	}
	return nil
}

// markDuplicates notes of rows that they have not made their orders.
func markDuplicates(ctx context.Context, tx pgx.Tx, organisation tenant.ID, source int64, rows *entity.Column) error {
	_, err := entity.Exec(ctx, tx, `
		UPDATE bulk_upload_row
		SET status = 'SKIPPED_DUPLICATE', order_id = NULL
		WHERE organisation_id = $1 AND job_id = $2 AND row_number = ANY ($3::int8[])`,
		[]entity.Param{entity.Int64Param(organisation), entity.Int64Param(source), entity.ArrayParam(rows)})
	return err
}
