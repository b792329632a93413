package order

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/tenant"
)

// The status of a valid row in the notes of an upload.
const (
	statusCreated = "CREATED"
	statusSkipped = "SKIPPED_DUPLICATE"
)

// rowNotes holds the notes of an upload about its rows: the key that identifies each row, and
// the order that it creates. A planned order already has its id.
type rowNotes struct{ rows, status, keys, bases, orders entity.Column }

// WriteNotes saves the outcome of the rows of a batch.
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
		return fmt.Errorf("save row outcomes: %w", err)
	}
	return nil
}

// WriteStaleNotes records that planned rows have created no order because it existed already.
func (*Type) WriteStaleNotes(ctx context.Context, tx pgx.Tx, organisation tenant.ID, source int64, rows []int64) error {
	places := entity.NewColumn(entity.Integer, len(rows))
	for _, row := range rows {
		places.AppendInt64(row)
	}
	if err := markDuplicates(ctx, tx, organisation, source, &places); err != nil {
		return fmt.Errorf("record stale rows: %w", err)
	}
	return nil
}

// markDuplicates records that the rows have not created their orders.
func markDuplicates(ctx context.Context, tx pgx.Tx, organisation tenant.ID, source int64, rows *entity.Column) error {
	_, err := entity.Exec(ctx, tx, `
		UPDATE bulk_upload_row
		SET status = 'SKIPPED_DUPLICATE', order_id = NULL
		WHERE organisation_id = $1 AND job_id = $2 AND row_number = ANY ($3::int8[])`,
		[]entity.Param{entity.Int64Param(organisation), entity.Int64Param(source), entity.ArrayParam(rows)})
	return err
}
