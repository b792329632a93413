package drop

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// maxCopy is the most bytes that S3 copies at once. What is larger stays where
// it is; the reason is written all the same.
//
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html
const maxCopy = 5 << 30

// reason says why a file was not imported.
type reason struct {
	Key       string          `json:"objectKey"` // where it was
	ETag      string          `json:"etag"`
	SizeBytes int64           `json:"sizeBytes"`
	At        time.Time       `json:"quarantinedAt"`
	Code      problem.Code    `json:"code"`
	Message   string          `json:"message"`
	Errors    []problem.Field `json:"errors"`
}

// refused reports whether an error is due to the file, its place, or its organisation's
// quotas, so that trying again in a moment would change nothing. A file beyond a quota
// does not wait: an event is tried for minutes, an import may wait for a person for
// months. Whoever dropped it stores it again.
func refused(err error) bool {
	code := problem.CodeOf(err)
	return code != "" && code != problem.Internal && code != problem.UploadMissing && code != problem.SourceChanged &&
		code.Status() < http.StatusInternalServerError
}

// quarantine moves a file out of the drop folder and writes the reason next to it. It
// may be repeated after a crash: the file is removed last. One that has taken its place
// meanwhile stays.
func (s *Step) quarantine(ctx context.Context, o object.Created, v object.Version, because error) error {
	fault := problem.Of(because)
	destination := quarantine + strings.TrimPrefix(o.Key, folder)
	body, err := json.MarshalIndent(reason{
		Key: o.Key, ETag: o.ETag, SizeBytes: v.Size, At: s.now().UTC(), Code: fault.Code, Message: fault.Message,
		Errors: append([]problem.Field{}, fault.Fields...),
	}, "", "  ")
	if err != nil {
		return fmt.Errorf("quarantine object: %w", err)
	}
	moved := v.Size <= maxCopy
	if moved {
		if err := s.objects.Copy(ctx, v, destination); err != nil {
			return fmt.Errorf("quarantine object: %w", err)
		}
	}
	if err := s.objects.Put(ctx, destination+reasonSuffix, "application/json", append(body, '\n')); err != nil {
		return fmt.Errorf("quarantine object: %w", err)
	}
	if moved {
		if err := s.objects.Discard(ctx, v); err != nil {
			return fmt.Errorf("quarantine object: %w", err)
		}
	}
	s.log.WarnContext(ctx, "object quarantined", "code", fault.Code, "size_bytes", v.Size, "moved", moved)
	return nil
}
