// Package objectstore stores files in one S3 bucket.
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

// New returns the store of a bucket.
func New(client *s3.Client, bucket string) *Store {
	return &Store{client: client, presign: s3.NewPresignClient(client, withRegionalHost), bucket: bucket}
}

// withPublicURL signs for another address, at which people and programs reach the bucket.
func (s *Store) withPublicURL(address string) *Store {
	s.presign = s3.NewPresignClient(s.client, s3.WithPresignClientFromClientOptions(func(o *s3.Options) { o.BaseEndpoint = &address }))
	return s
}

// withRegionalHost signs for the bucket's regional host name, also in a function that itself
// reaches S3 by the dual-stack one: it is the only one that the console's pages may connect to.
var withRegionalHost = s3.WithPresignClientFromClientOptions(func(o *s3.Options) {
	o.EndpointOptions.UseDualStackEndpoint = aws.DualStackEndpointStateDisabled
})

// Settings configures the bucket.
type Settings struct {
	Bucket   string `env:"BUCKET,required"`
	Endpoint string `env:"AWS_ENDPOINT_URL"`
	// PublicURL replaces the endpoint in presigned URLs; "" is the endpoint.
	PublicURL string `env:"FILES_URL"`
}

// Open returns the store named in the settings.
func Open(c aws.Config, s Settings) *Store {
	store := New(s3.NewFromConfig(c, func(o *s3.Options) {
		// Endpoints other than AWS do not resolve <bucket>.<host>.
		o.UsePathStyle = s.Endpoint != ""
		// Range reads have no checksum to validate, and the SDK would log each of them.
		o.DisableLogOutputChecksumValidationSkipped = true
	}), s.Bucket)
	if s.PublicURL != "" {
		return store.withPublicURL(s.PublicURL)
	}
	return store
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

// PutIfAbsent stores an object unless it already exists; an existing object is unchanged.
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

// Head returns the metadata of an object; the error is UPLOAD_MISSING if it does not exist.
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

// ReadRange returns length bytes of a version of an object from offset on: all of them or
// an error, which is SOURCE_CHANGED if another version has replaced it.
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

// PresignPut returns a URL for uploading one object of exactly that size, which
// replaces no existing object: a signed header ensures that.
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

// PresignGet returns a URL from which an object can be downloaded without
// credentials, with a file name.
func (s *Store) PresignGet(ctx context.Context, key, disposition string, lifetime time.Duration) (string, error) {
	signed, err := s.presign.PresignGetObject(ctx, &s3.GetObjectInput{
		Bucket: &s.bucket, Key: &key, ResponseContentDisposition: &disposition,
	}, s3.WithPresignExpires(lifetime))
	if err != nil {
		return "", fmt.Errorf("presign %s: %w", key, err)
	}
	return signed.URL, nil
}

// anyVersion matches any existing object in If-None-Match.
const anyVersion = "*"

// S3's error codes for an unmet condition and for two concurrent conditional requests.
const (
	preconditionFailed = "PreconditionFailed"
	conditionConflict  = "ConditionalRequestConflict"
)

// errorCode returns the code of an S3 error, or "".
func errorCode(err error) string {
	var api smithy.APIError
	if errors.As(err, &api) {
		return api.ErrorCode()
	}
	return ""
}

// uploadMissing converts S3's response for a missing object into an error.
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
