package wire

import (
	"context"
	"time"

	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/submit"
)

// uploads is the bucket as intake sees it.
type uploads struct{ files }

// PresignPut returns the address for exactly one object.
func (u uploads) PresignPut(ctx context.Context, key, contentType string, size int64, sha256 string, lifetime time.Duration) (submit.Whole, error) {
	upload, err := u.files.PresignPut(ctx, key, contentType, size, sha256, lifetime)
	return submit.Whole(upload), err
}

// PresignParts returns the addresses for the parts of one.
func (u uploads) PresignParts(ctx context.Context, key, contentType string, sizes []int64, lifetime time.Duration) (submit.Parts, error) {
	parts, err := u.files.PresignParts(ctx, key, contentType, sizes, lifetime)
	return submit.Parts(parts), err
}

// keys is the table as intake sees it.
type keys struct{ *coordination.Table }

// Claim takes an idempotency key.
func (k keys) Claim(ctx context.Context, organisation int64, key, fingerprint, newJobID string) (submit.Claim, error) {
	claim, err := k.Table.Claim(ctx, organisation, key, fingerprint, newJobID)
	return submit.Claim(claim), err
}
