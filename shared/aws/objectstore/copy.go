package objectstore

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// Copy copies a version of an object of up to 5 GB with its metadata. The error is
// UPLOAD_MISSING if it does not exist, SOURCE_CHANGED if another version has replaced it.
func (s *Store) Copy(ctx context.Context, from object.Version, to string) error {
	// A plus sign must not be decoded as a space, as it is in forms.
	source := strings.NewReplacer("+", "%20", "%2F", "/").Replace(url.QueryEscape(s.bucket + "/" + from.Key))
	input := &s3.CopyObjectInput{Bucket: &s.bucket, Key: &to, CopySource: aws.String(source)}
	if from.ETag != "" {
		input.CopySourceIfMatch = &from.ETag
	}
	_, err := s.client.CopyObject(ctx, input)
	if errorCode(err) == preconditionFailed {
		return problem.Wrap(err, problem.SourceChanged, "%s", object.SourceChangedMessage)
	}
	if err != nil {
		return fmt.Errorf("copy to %s: %w", to, uploadMissing(from.Key, err))
	}
	return nil
}
