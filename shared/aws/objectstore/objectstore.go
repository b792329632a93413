// Package objectstore keeps files in one S3 bucket.
package objectstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"

	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
)

// Store is one bucket.
type Store struct {
	client  *s3.Client
	presign *s3.PresignClient
	bucket  string
}

// New returns the store of that bucket.
func New(client *s3.Client, bucket string) *Store {
	return &Store{client: client, presign: s3.NewPresignClient(client), bucket: bucket}
}

// Settings say which bucket.
type Settings struct {
	Bucket   string `env:"BUCKET,required"`
	Endpoint string `env:"AWS_ENDPOINT_URL"`
}

// Open returns the store that the settings name.
func Open(c aws.Config, s Settings) *Store {
	return New(s3.NewFromConfig(c, func(o *s3.Options) {
		// Other endpoints than AWS do not resolve <bucket>.<host>.
		o.UsePathStyle = s.Endpoint != ""
		// Reads of ranges have no checksum to validate, and the SDK would log each.
		o.DisableLogOutputChecksumValidationSkipped = true
	}), s.Bucket)
}

// Put stores an object.
func (s *Store) Put(ctx context.Context, key, contentType string, body []byte) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, ContentType: &contentType,
		Body: bytes.NewReader(body), ContentLength: aws.Int64(int64(len(body))),
	})
	if err != nil {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return nil
}

// PutIfAbsent stores an object, unless there is one already: that one stays.
func (s *Store) PutIfAbsent(ctx context.Context, key, contentType string, body []byte) error {
	_, err := s.client.PutObject(ctx, &s3.PutObjectInput{
		Bucket: &s.bucket, Key: &key, ContentType: &contentType, IfNoneMatch: aws.String(anyVersion),
		Body: bytes.NewReader(body), ContentLength: aws.Int64(int64(len(body))),
	})
	if err != nil && errorCode(err) != preconditionFailed {
		return fmt.Errorf("put %s: %w", key, err)
	}
	return nil
}

// Head returns what is known of an object; UPLOAD_MISSING where there is none.
func (s *Store) Head(ctx context.Context, key string) (object.Info, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		return object.Info{}, uploadMissing(key, err)
	}
	return object.Info{
		Size: aws.ToInt64(out.ContentLength), ETag: aws.ToString(out.ETag),
		ContentType: aws.ToString(out.ContentType), Metadata: out.Metadata,
	}, nil
}

// ReadRange returns length bytes of a version of an object from offset on; all of them or
// an error, which is SOURCE_CHANGED where another version has taken its place.
func (s *Store) ReadRange(ctx context.Context, v object.Version, offset, length int64) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	input := &s3.GetObjectInput{
		Bucket: &s.bucket, Key: &v.Key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)),
	}
	if v.ETag != "" {
		input.IfMatch = &v.ETag
	}
	out, err := s.client.GetObject(ctx, input)
	if errorCode(err) == preconditionFailed {
		return nil, problem.Wrap(err, problem.SourceChanged, "%s", object.SourceChangedMessage)
	}
	if err != nil {
		return nil, uploadMissing(v.Key, err)
	}
	defer out.Body.Close()
	body := make([]byte, length)
	if _, err := io.ReadFull(out.Body, body); err != nil {
		return nil, fmt.Errorf("read %d bytes of %s at %d: %w", length, v.Key, offset, err)
	}
	return body, nil
}

// PresignPut returns the address for exactly one object of exactly that size, which
// takes no second one: a header says so and is signed.
// sha256 is the file's checksum in base64, or "".
func (s *Store) PresignPut(ctx context.Context, key, contentType string, size int64, sha256 string, lifetime time.Duration) (object.Upload, error) {
	input := &s3.PutObjectInput{Bucket: &s.bucket, Key: &key, ContentLength: &size, IfNoneMatch: aws.String(anyVersion)}
	if contentType != "" {
		input.ContentType = &contentType
	}
	if sha256 != "" {
		input.ChecksumSHA256 = &sha256
		input.ChecksumAlgorithm = types.ChecksumAlgorithmSha256
	}
	signed, err := s.presign.PresignPutObject(ctx, input, s3.WithPresignExpires(lifetime))
	if err != nil {
		return object.Upload{}, fmt.Errorf("presign %s: %w", key, err)
	}
	headers := make(map[string]string)
	for name := range signed.SignedHeader {
		if name != "Host" {
			headers[name] = signed.SignedHeader.Get(name)
		}
	}
	return object.Upload{Method: signed.Method, URL: signed.URL, Headers: headers, Expires: time.Now().Add(lifetime)}, nil
}

// PresignGet returns an address from which an object can be fetched without
// credentials, under a name.
func (s *Store) PresignGet(ctx context.Context, key, disposition string, lifetime time.Duration) (string, error) {
	signed, err := s.presign.PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: &s.bucket, Key: &key, ResponseContentDisposition: &disposition,
	}, s3.WithPresignExpires(lifetime))
	if err != nil {
		return "", fmt.Errorf("presign %s: %w", key, err)
	}
	return signed.URL, nil
}

// anyVersion is whatever object there is, in If-None-Match.
const anyVersion = "*"

// The codes of S3 for conditions that are not met, and that two meet at once.
const (
	preconditionFailed = "PreconditionFailed"
	conditionConflict  = "ConditionalRequestConflict"
)

// errorCode is the code of an error of S3, or "".
func errorCode(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// uploadMissing turns S3's response for an object that is not there into an error.
func uploadMissing(key string, err error) error {
	if c := errorCode(err); c == "NotFound" || c == "NoSuchKey" {
		return problem.Wrap(err, problem.UploadMissing, "The file has not been uploaded yet.")
	}
	return fmt.Errorf("get %s: %w", key, err)
}

// Size returns an object's size in bytes.
func (s *Store) Size(ctx context.Context, key string) (int64, error) {
	info, err := s.Head(ctx, key)
	return info.Size, err
}
