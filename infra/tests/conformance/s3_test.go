package conformance

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"mime/multipart"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// bucket is a bucket with a client. At the local endpoint, events receives the events of
// objects under "uploads/".
type bucket struct {
	*s3.Client
	name   string
	events chan local.ObjectCreated
}

func setupBucket(t *testing.T) *bucket {
	t.Helper()
	b := &bucket{name: uniqueName("files"), events: make(chan local.ObjectCreated, 100)}
	if url, ok := configuredEndpoint(); ok {
		b.Client = s3.NewFromConfig(clientConfig(url), pathStyle)
		_, err := b.CreateBucket(t.Context(), &s3.CreateBucketInput{Bucket: &b.name})
		require.NoError(t, err)
		t.Cleanup(func() { b.drop(t) })
		return b
	}
	program, err := os.Executable()
	require.NoError(t, err)
	gateway, err := local.New(t.Context(), local.Config{
		Dir: filepath.Join(t.TempDir(), "s3"), DB: openDatabase(t), Buckets: []string{b.name}, Command: []string{program, s3Command},
		Prefixes: []string{"uploads/"},
		Created: func(_ context.Context, event local.ObjectCreated) error {
			b.events <- event
			return nil
		},
	})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, gateway.Close()) })
	b.Client = s3.NewFromConfig(clientConfig(startEndpoint(t, awsendpoint.Config{Objects: gateway})), pathStyle)
	return b
}

func pathStyle(o *s3.Options) { o.UsePathStyle = true }

// drop deletes a bucket with its objects.
func (b *bucket) drop(t *testing.T) {
	ctx := cleanupContext(t)
	listed, err := b.ListObjectsV2(ctx, &s3.ListObjectsV2Input{Bucket: &b.name})
	require.NoError(t, err)
	for _, object := range listed.Contents {
		_, err := b.DeleteObject(ctx, &s3.DeleteObjectInput{Bucket: &b.name, Key: object.Key})
		require.NoError(t, err)
	}
	_, err = b.DeleteBucket(ctx, &s3.DeleteBucketInput{Bucket: &b.name})
	require.NoError(t, err)
}

func (b *bucket) put(t *testing.T, key, body string) {
	t.Helper()
	_, err := b.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.name, Key: &key, Body: strings.NewReader(body)})
	require.NoError(t, err)
}

func (b *bucket) get(t *testing.T, key string) string {
	t.Helper()
	out, err := b.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &b.name, Key: &key})
	require.NoError(t, err)
	defer out.Body.Close()
	body, err := io.ReadAll(out.Body)
	require.NoError(t, err)
	return string(body)
}

// awaitCreated waits for the event of an object, if the endpoint sends events.
func (b *bucket) awaitCreated(t *testing.T, key, reason string, size int64) {
	t.Helper()
	if _, ok := configuredEndpoint(); ok {
		return
	}
	select {
	case event := <-b.events:
		require.Equal(t, key, event.Key)
		require.Equal(t, reason, event.Reason)
		require.Equal(t, size, event.Size)
		require.NotEmpty(t, event.ETag)
	case <-time.After(waitTimeout):
		t.Fatal("no event arrived")
	}
}

func TestS3Object(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	key := "uploads/täst file+1 (ü).csv"
	put, err := b.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &b.name, Key: &key, Body: strings.NewReader("hello world"), ContentType: aws.String("text/csv"), Metadata: map[string]string{"organisation": "7"},
	})
	require.NoError(t, err)
	require.Equal(t, `"5eb63bbbe01eeed093cb22bb8f5acdc3"`, *put.ETag)
	b.awaitCreated(t, key, "PutObject", 11)

	head, err := b.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &b.name, Key: &key})
	require.NoError(t, err)
	require.Equal(t, int64(11), *head.ContentLength)
	require.Equal(t, "text/csv", *head.ContentType)
	require.Equal(t, map[string]string{"organisation": "7"}, head.Metadata)
	require.WithinDuration(t, time.Now(), *head.LastModified, time.Minute)

	part, err := b.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &b.name, Key: &key, Range: aws.String("bytes=6-8"), IfMatch: put.ETag})
	require.NoError(t, err)
	defer part.Body.Close()
	body, err := io.ReadAll(part.Body)
	require.NoError(t, err)
	require.Equal(t, "wor", string(body))
	require.Equal(t, "bytes 6-8/11", *part.ContentRange)

	_, err = b.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &b.name, Key: &key, Range: aws.String("bytes=11-")})
	require.Equal(t, "InvalidRange", errorCode(t, err))
	_, err = b.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &b.name, Key: &key})
	require.NoError(t, err)
	_, err = b.GetObject(t.Context(), &s3.GetObjectInput{Bucket: &b.name, Key: &key})
	var missing *types.NoSuchKey
	require.ErrorAs(t, err, &missing)
	_, err = b.DeleteObject(t.Context(), &s3.DeleteObjectInput{Bucket: &b.name, Key: &key})
	require.NoError(t, err, "deleting a missing object succeeds")
}

func errorCode(t *testing.T, err error) string {
	t.Helper()
	var fault smithy.APIError
	require.ErrorAs(t, err, &fault)
	return fault.ErrorCode()
}

func TestS3ConditionalWrites(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	write := func(body string, match, noneMatch *string) error {
		_, err := b.PutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.name, Key: aws.String("k"), Body: strings.NewReader(body), IfMatch: match, IfNoneMatch: noneMatch})
		return err
	}
	require.NoError(t, write("one", nil, aws.String("*")))
	require.Equal(t, "PreconditionFailed", errorCode(t, write("two", nil, aws.String("*"))))
	require.Equal(t, "PreconditionFailed", errorCode(t, write("two", aws.String(`"bad"`), nil)))
	require.Equal(t, "one", b.get(t, "k"))
}

func TestS3Checksums(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	_, err := b.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &b.name, Key: aws.String("uploads/x"), Body: strings.NewReader("hello"),
		ChecksumSHA256: aws.String("LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="),
	})
	require.NoError(t, err)
	b.awaitCreated(t, "uploads/x", "PutObject", 5)
	_, err = b.PutObject(t.Context(), &s3.PutObjectInput{
		Bucket: &b.name, Key: aws.String("uploads/y"), Body: strings.NewReader("hullo"),
		ChecksumSHA256: aws.String("LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ="),
	})
	require.Equal(t, "BadDigest", errorCode(t, err))
	require.Empty(t, b.events)
	_, err = b.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &b.name, Key: aws.String("uploads/y")})
	var missing *types.NotFound
	require.ErrorAs(t, err, &missing)
}

func TestS3Listing(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	for _, key := range []string{"a/1", "a/2", "a/b/3", "c"} {
		b.put(t, key, key)
	}
	var keys []string
	pages := s3.NewListObjectsV2Paginator(b, &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: aws.String("a/"), MaxKeys: aws.Int32(2)})
	for pages.HasMorePages() {
		page, err := pages.NextPage(t.Context())
		require.NoError(t, err)
		for _, object := range page.Contents {
			keys = append(keys, *object.Key)
		}
	}
	require.Equal(t, []string{"a/1", "a/2", "a/b/3"}, keys)
	out, err := b.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &b.name, Prefix: aws.String("a/"), Delimiter: aws.String("/")})
	require.NoError(t, err)
	require.Len(t, out.Contents, 2)
	require.Equal(t, "a/b/", *out.CommonPrefixes[0].Prefix)
}

func TestS3CopyAndTags(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	b.put(t, "from", "copied")
	_, err := b.CopyObject(t.Context(), &s3.CopyObjectInput{Bucket: &b.name, Key: aws.String("uploads/to"), CopySource: aws.String(b.name + "/from")})
	require.NoError(t, err)
	b.awaitCreated(t, "uploads/to", "CopyObject", 6)
	_, err = b.PutObjectTagging(t.Context(), &s3.PutObjectTaggingInput{
		Bucket: &b.name, Key: aws.String("uploads/to"), Tagging: &types.Tagging{TagSet: []types.Tag{{Key: aws.String("k"), Value: aws.String("v")}}},
	})
	require.NoError(t, err)
	tags, err := b.GetObjectTagging(t.Context(), &s3.GetObjectTaggingInput{Bucket: &b.name, Key: aws.String("uploads/to")})
	require.NoError(t, err)
	require.Equal(t, "v", *tags.TagSet[0].Value)
	require.Equal(t, "copied", b.get(t, "uploads/to"))
	require.Empty(t, b.events, "tagging sends no creation event")
}

// Parts are uploaded to presigned URLs, as a browser does.
func TestS3Multipart(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	key := aws.String("uploads/large.csv")
	begun, err := b.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: &b.name, Key: key})
	require.NoError(t, err)
	bodies := [][]byte{bytes.Repeat([]byte("a"), 5<<20), bytes.Repeat([]byte("b"), 5<<20), []byte("end")}
	parts := make([]types.CompletedPart, len(bodies))
	presign := s3.NewPresignClient(b.Client)
	for i, body := range bodies {
		number := aws.Int32(int32(i + 1))
		signed, err := presign.PresignUploadPart(t.Context(), &s3.UploadPartInput{Bucket: &b.name, Key: key, UploadId: begun.UploadId, PartNumber: number})
		require.NoError(t, err)
		answer := request(t, http.MethodPut, signed.URL, nil, body)
		require.Equal(t, http.StatusOK, answer.status, answer.body)
		parts[i] = types.CompletedPart{PartNumber: number, ETag: aws.String(answer.header.Get("ETag"))}
	}
	_, err = b.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &b.name, Key: key})
	require.Error(t, err, "the object is invisible until the upload is complete")
	require.Empty(t, b.events)
	done, err := b.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: &b.name, Key: key, UploadId: begun.UploadId, MultipartUpload: &types.CompletedMultipartUpload{Parts: parts},
	})
	require.NoError(t, err)
	require.True(t, strings.HasSuffix(strings.Trim(*done.ETag, `"`), "-3"), *done.ETag)
	b.awaitCreated(t, *key, "CompleteMultipartUpload", 10<<20+3)
	require.Equal(t, string(bytes.Join(bodies, nil)), b.get(t, *key))
}

// No part or object is created from a body with fewer bytes than announced, or with
// different ones.
func TestS3RejectsInterruptedUpload(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	key := aws.String("uploads/large.csv")
	begun, err := b.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: &b.name, Key: key})
	require.NoError(t, err)
	presign := s3.NewPresignClient(b.Client)
	const size = 8 << 20
	part, err := presign.PresignUploadPart(t.Context(), &s3.UploadPartInput{Bucket: &b.name, Key: key, UploadId: begun.UploadId, PartNumber: aws.Int32(1), ContentLength: aws.Int64(size)})
	require.NoError(t, err)
	object, err := presign.PresignPutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.name, Key: aws.String("uploads/whole.csv"), ContentLength: aws.Int64(size)})
	require.NoError(t, err)
	for _, address := range []string{part.URL, object.URL} {
		require.Contains(t, sendHalf(t, address, size), " 400 ")
	}
	listed, err := b.ListParts(t.Context(), &s3.ListPartsInput{Bucket: &b.name, Key: key, UploadId: begun.UploadId})
	require.NoError(t, err)
	require.Empty(t, listed.Parts)
	_, err = b.HeadObject(t.Context(), &s3.HeadObjectInput{Bucket: &b.name, Key: aws.String("uploads/whole.csv")})
	require.Error(t, err)
	require.Empty(t, b.events)
}

// sendHalf sends half of the announced bytes and returns the first line of the response.
func sendHalf(t *testing.T, address string, size int) string {
	t.Helper()
	to, err := url.Parse(address)
	require.NoError(t, err)
	connection, err := net.Dial("tcp", to.Host)
	require.NoError(t, err)
	defer connection.Close()
	_, err = fmt.Fprintf(connection, "PUT %s HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n", to.RequestURI(), to.Host, size)
	require.NoError(t, err)
	_, err = connection.Write(bytes.Repeat([]byte("x"), size/2))
	require.NoError(t, err)
	require.NoError(t, connection.(*net.TCPConn).CloseWrite())
	line, err := bufio.NewReader(connection).ReadString('\n')
	require.NoError(t, err)
	return line
}

func TestS3AbortedMultipart(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	key := aws.String("uploads/x")
	begun, err := b.CreateMultipartUpload(t.Context(), &s3.CreateMultipartUploadInput{Bucket: &b.name, Key: key})
	require.NoError(t, err)
	_, err = b.UploadPart(t.Context(), &s3.UploadPartInput{Bucket: &b.name, Key: key, UploadId: begun.UploadId, PartNumber: aws.Int32(1), Body: strings.NewReader("x")})
	require.NoError(t, err)
	_, err = b.AbortMultipartUpload(t.Context(), &s3.AbortMultipartUploadInput{Bucket: &b.name, Key: key, UploadId: begun.UploadId})
	require.NoError(t, err)
	_, err = b.CompleteMultipartUpload(t.Context(), &s3.CompleteMultipartUploadInput{
		Bucket: &b.name, Key: key, UploadId: begun.UploadId,
		MultipartUpload: &types.CompletedMultipartUpload{Parts: []types.CompletedPart{{PartNumber: aws.Int32(1), ETag: aws.String(`"9dd4e461268c8034f5c8564e155c67a6"`)}}},
	})
	require.Equal(t, "NoSuchUpload", errorCode(t, err))
	require.Empty(t, b.events)
}

type httpResponse struct {
	status int
	header http.Header
	body   string
}

func request(t *testing.T, method, url string, header http.Header, body []byte) httpResponse {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, bytes.NewReader(body))
	require.NoError(t, err)
	for name, values := range header {
		r.Header[name] = values
	}
	out, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer out.Body.Close()
	raw, err := io.ReadAll(out.Body)
	require.NoError(t, err)
	return httpResponse{out.StatusCode, out.Header, string(raw)}
}

func TestS3PresignedURLs(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	presign := s3.NewPresignClient(b.Client)
	key := aws.String("uploads/people & places.csv")
	upload, err := presign.PresignPutObject(t.Context(), &s3.PutObjectInput{Bucket: &b.name, Key: key, ContentType: aws.String("text/csv")})
	require.NoError(t, err)
	got := request(t, http.MethodPut, upload.URL, upload.SignedHeader, []byte("a,b\n"))
	require.Equal(t, http.StatusOK, got.status, got.body)
	b.awaitCreated(t, *key, "PutObject", 4)

	download, err := presign.PresignGetObject(t.Context(), &s3.GetObjectInput{
		Bucket: &b.name, Key: key, ResponseContentDisposition: aws.String(`attachment; filename="x.csv"`),
	})
	require.NoError(t, err)
	got = request(t, http.MethodGet, download.URL, nil, nil)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, "a,b\n", got.body)
	require.Equal(t, `attachment; filename="x.csv"`, got.header.Get("Content-Disposition"))

	tampered := strings.Replace(download.URL, "people", "peoples", 1)
	require.Equal(t, http.StatusForbidden, request(t, http.MethodGet, tampered, nil, nil).status)
	got = request(t, http.MethodPut, download.URL, nil, []byte("x"))
	require.Equal(t, http.StatusForbidden, got.status, "the URL is signed for another method")
	require.Empty(t, b.events)
}

func TestS3PresignedURLExpires(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	b.put(t, "k", "v")
	signed, err := s3.NewPresignClient(b.Client).PresignGetObject(t.Context(), &s3.GetObjectInput{Bucket: &b.name, Key: aws.String("k")}, s3.WithPresignExpires(time.Second))
	require.NoError(t, err)
	stacktest.Await(t, "the URL expires", func() bool {
		return request(t, http.MethodGet, signed.URL, nil, nil).status == http.StatusForbidden
	})
}

func TestS3PresignedForm(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	key := "uploads/from a form.csv"
	signed, err := s3.NewPresignClient(b.Client).PresignPostObject(t.Context(), &s3.PutObjectInput{Bucket: &b.name, Key: &key}, func(o *s3.PresignPostOptions) {
		o.Conditions = []any{[]any{"content-length-range", 1, 10}}
	})
	require.NoError(t, err)
	post := func(body string) httpResponse {
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		for name, value := range signed.Values {
			require.NoError(t, w.WriteField(name, value))
		}
		file, err := w.CreateFormFile("file", "x.csv")
		require.NoError(t, err)
		_, err = io.WriteString(file, body)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		return request(t, http.MethodPost, signed.URL, http.Header{"Content-Type": {w.FormDataContentType()}}, form.Bytes())
	}
	got := post("a,b\n")
	require.Equal(t, http.StatusNoContent, got.status, got.body)
	b.awaitCreated(t, key, "POST Object", 4)
	require.Equal(t, "a,b\n", b.get(t, key))
	got = post("more than ten bytes")
	require.Equal(t, http.StatusBadRequest, got.status)
	require.Contains(t, got.body, "EntityTooLarge")
	require.Empty(t, b.events)
}

func TestS3RefusesOtherCredentials(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t)
	b := setupBucket(t)
	_, err := b.ListObjectsV2(t.Context(), &s3.ListObjectsV2Input{Bucket: &b.name}, func(o *s3.Options) {
		o.Credentials = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: local.AccessKey, SecretAccessKey: "wrong"}, nil
		})
	})
	require.Equal(t, "SignatureDoesNotMatch", errorCode(t, err))
}

func TestS3MissingBucket(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	_, err := b.PutObject(t.Context(), &s3.PutObjectInput{Bucket: aws.String(uniqueName("none")), Key: aws.String("k"), Body: strings.NewReader("x")})
	require.Equal(t, "NoSuchBucket", errorCode(t, err), fmt.Sprint(err))
}
