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

// Info is what is known of an object without reading it.
type Info struct {
	Size        int64
	ETag        string
	ContentType string
	Metadata    map[string]string
}

// Head returns what is known of an object; UPLOAD_MISSING where there is none.
func (s *Store) Head(ctx context.Context, key string) (Info, error) {
	out, err := s.client.HeadObject(ctx, &s3.HeadObjectInput{Bucket: &s.bucket, Key: &key})
	if err != nil {
		return Info{}, missing(key, err)
	}
	return Info{
		Size: aws.ToInt64(out.ContentLength), ETag: aws.ToString(out.ETag),
		ContentType: aws.ToString(out.ContentType), Metadata: out.Metadata,
	}, nil
}

// Range returns length bytes of an object from offset on; all of them or an error.
func (s *Store) Range(ctx context.Context, key string, offset, length int64) ([]byte, error) {
	if length == 0 {
		return nil, nil
	}
	out, err := s.client.GetObject(ctx, &s3.GetObjectInput{
		Bucket: &s.bucket, Key: &key, Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1)),
	})
	if err != nil {
		return nil, missing(key, err)
	}
	defer out.Body.Close()
	body := make([]byte, length)
	if _, err := io.ReadFull(out.Body, body); err != nil {
		return nil, fmt.Errorf("read %d bytes of %s at %d: %w", length, key, offset, err)
	}
	return body, nil
}

// Upload is an address to which a file can be sent without credentials.
type Upload struct {
	Method  string
	URL     string
	Headers map[string]string // to be sent as they are: they are part of the signature
	Expires time.Time
}

// PresignPut returns the address for exactly one object of exactly that size.
// sha256 is the file's checksum in base64, or "".
func (s *Store) PresignPut(ctx context.Context, key, contentType string, size int64, sha256 string, lifetime time.Duration) (Upload, error) {
	in := &s3.PutObjectInput{Bucket: &s.bucket, Key: &key, ContentLength: &size}
	if contentType != "" {
		in.ContentType = &contentType
	}
	if sha256 != "" {
		in.ChecksumSHA256 = &sha256
		in.ChecksumAlgorithm = types.ChecksumAlgorithmSha256
	}
	signed, err := s.presign.PresignPutObject(ctx, in, s3.WithPresignExpires(lifetime))
	if err != nil {
		return Upload{}, fmt.Errorf("presign %s: %w", key, err)
	}
	headers := make(map[string]string)
	for name := range signed.SignedHeader {
		if name != "Host" {
			headers[name] = signed.SignedHeader.Get(name)
		}
	}
	return Upload{Method: signed.Method, URL: signed.URL, Headers: headers, Expires: time.Now().Add(lifetime)}, nil
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

// missing turns S3's answer for an object that is not there into a fault.
func missing(key string, err error) error {
	var api smithy.APIError
	if errors.As(err, &api) && (api.ErrorCode() == "NotFound" || api.ErrorCode() == "NoSuchKey") {
		return problem.Because(err, problem.UploadMissing, "The file has not been uploaded yet.")
	}
	return fmt.Errorf("get %s: %w", key, err)
}

// Size returns an object's size in bytes.
func (s *Store) Size(ctx context.Context, key string) (int64, error) {
	info, err := s.Head(ctx, key)
	return info.Size, err
}
