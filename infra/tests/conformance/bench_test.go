package conformance

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	locals3 "github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	localsqs "github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

// BenchmarkSQSMessage measures the life cycle of a message through the SDK: three calls.
func BenchmarkSQSMessage(b *testing.B) {
	db, err := awsendpoint.OpenDatabase(filepath.Join(b.TempDir(), "aws.db"))
	require.NoError(b, err)
	defer db.Close()
	service, err := localsqs.New(db, []blueprint.Queue{{Name: "q", Visibility: time.Minute, Retention: time.Hour}})
	require.NoError(b, err)
	handler, err := awsendpoint.Handler(awsendpoint.Config{Services: []awsjson.Service{service}})
	require.NoError(b, err)
	server := httptest.NewServer(handler)
	defer server.Close()
	b.SetParallelism(8)
	b.RunParallel(func(loop *testing.PB) {
		client := sqs.NewFromConfig(clientConfig(server.URL))
		queue, body := aws.String("q"), aws.String(`{"job":"0198a8a0-0000-7000-8000-000000000000","chunk":17}`)
		for loop.Next() {
			_, err := client.SendMessage(context.Background(), &sqs.SendMessageInput{QueueUrl: queue, MessageBody: body})
			require.NoError(b, err)
			got, err := client.ReceiveMessage(context.Background(), &sqs.ReceiveMessageInput{QueueUrl: queue, WaitTimeSeconds: 1})
			require.NoError(b, err)
			_, err = client.DeleteMessage(context.Background(), &sqs.DeleteMessageInput{QueueUrl: queue, ReceiptHandle: got.Messages[0].ReceiptHandle})
			require.NoError(b, err)
		}
	})
}

// BenchmarkS3 transfers 64 MiB through the proxy in each direction.
func BenchmarkS3(b *testing.B) {
	dir := b.TempDir()
	db, err := awsendpoint.OpenDatabase(filepath.Join(dir, "aws.db"))
	require.NoError(b, err)
	defer db.Close()
	program, err := os.Executable()
	require.NoError(b, err)
	gateway, err := locals3.New(context.Background(), locals3.Config{Dir: filepath.Join(dir, "s3"), DB: db, Buckets: []string{"files"}, Command: []string{program, s3Command}})
	require.NoError(b, err)
	defer gateway.Close()
	server := httptest.NewServer(gateway)
	defer server.Close()
	client := s3.NewFromConfig(clientConfig(server.URL), pathStyle)
	content := bytes.Repeat([]byte("0123456789abcde\n"), 4<<20)
	upload, err := s3.NewPresignClient(client).PresignPutObject(context.Background(), &s3.PutObjectInput{Bucket: aws.String("files"), Key: aws.String("k")})
	require.NoError(b, err)
	b.Run("presigned PUT", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			putBytes(b, upload.URL, content)
		}
	})
	b.Run("get", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			out, err := client.GetObject(context.Background(), &s3.GetObjectInput{Bucket: aws.String("files"), Key: aws.String("k")})
			require.NoError(b, err)
			n, err := io.Copy(io.Discard, out.Body)
			require.NoError(b, err)
			require.Equal(b, int64(len(content)), n)
			require.NoError(b, out.Body.Close())
		}
	})
}

func putBytes(b *testing.B, url string, content []byte) {
	b.Helper()
	r, err := http.NewRequest(http.MethodPut, url, bytes.NewReader(content))
	require.NoError(b, err)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(b, err)
	require.NoError(b, answer.Body.Close())
	require.Equal(b, http.StatusOK, answer.StatusCode)
}
