package wire

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/dropresult"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/step/fail"
)

// endConfig is what the functions that end jobs need.
type endConfig struct {
	Database databaseSettings
	Bucket   bucketSettings
	Events   eventsSettings
}

// receiptFiles is the bucket as receipts see it.
type receiptFiles struct{ files }

// Create begins a file.
func (f receiptFiles) Create(ctx context.Context, key, contentType string) dropresult.Object {
	return f.files.Create(ctx, key, contentType)
}

func newReceipts(db *postgres.DB, bucket files) *dropresult.Writer {
	return dropresult.New(db, receiptFiles{bucket})
}

// completing ends a job and then tells the sender of its file. Should telling
// fail, the state machine runs both again, and ending it again changes nothing.
func completing(end func(context.Context, job.Ref) error, receipts *dropresult.Writer) Handler[job.Ref, Nothing] {
	return func(ctx context.Context, ref job.Ref) (Nothing, error) {
		err := end(ctx, ref)
		if err == nil {
			err = receipts.Write(ctx, ref)
		}
		return Nothing{}, err
	}
}

// failing is completing for jobs that end early.
func failing(end func(context.Context, fail.Input) (fail.Output, error), receipts *dropresult.Writer) Handler[fail.Input, fail.Output] {
	return func(ctx context.Context, in fail.Input) (fail.Output, error) {
		out, err := end(ctx, in)
		if err == nil {
			err = receipts.Write(ctx, in.Ref)
		}
		return out, err
	}
}
