package objectstore

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
)

// Copy copies an object of up to 5 GB with its metadata; UPLOAD_MISSING where
// there is none.
func (s *Store) Copy(ctx context.Context, from, to string) error {
	// A plus sign must not be read as a space, as in forms.
	source := strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(s.bucket + "/" + from))
	_, err := s.client.CopyObject(ctx, &s3.CopyObjectInput{Bucket: &s.bucket, Key: &to, CopySource: aws.String(source)})
	if err != nil {
		return fmt.Errorf("copy to %s: %w", to, missing(from, err))
	}
	return nil
}
