package intake

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/job"
)

// Objects keeps files.
type Objects interface {
	// Put stores an object.
	Put(ctx context.Context, key, contentType string, body []byte) error
	// Size is the size of an object; UPLOAD_MISSING where there is none.
	Size(ctx context.Context, key string) (int64, error)
	// PresignPut returns the address for exactly one object of exactly that size
	// and, where it is given, of that SHA-256 in base64.
	PresignPut(ctx context.Context, key, contentType string, size int64, sha256 string, lifetime time.Duration) (Upload, error)
}

// minPart is the smallest part that S3 takes, except for the last one.
const minPart = 5 << 20

// Upload is an address to which a file can be sent without credentials.
type Upload struct {
	Method  string
	URL     string
	Headers map[string]string // to be sent as they are
	Expires time.Time
}

// upload returns the address to which a job's file is to be sent.
func (s *Service) upload(ctx context.Context, j *job.Job) (*Upload, error) {
	sum, err := hex.DecodeString(j.SHA256)
	if err != nil {
		return nil, fmt.Errorf("checksum of job %s: %w", j.UUID, err)
	}
	u, err := s.objects.PresignPut(ctx, j.ObjectKey, j.ContentType, j.SizeBytes, base64.StdEncoding.EncodeToString(sum), s.limits.UploadLifetime)
	if err != nil {
		return nil, fmt.Errorf("address for the upload of job %s: %w", j.UUID, err)
	}
	return &u, nil
}
