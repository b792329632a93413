package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/infra/tests/stacktest"
	"github.com/loadbay/loadbay/shared/aws/objectstore"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/aws/workflow"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Tests of the service's adapters against the endpoint.

const askWorkflow = `{"StartAt": "Ask", "States": {"Ask": {
	"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke.waitForTaskToken", "End": true,
	"Parameters": {"FunctionName": "ask", "Payload": {"Token.$": "$$.Task.Token"}}
}}}`

func TestWorkflowStartsAndCompletesOnce(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t) // other endpoints have no function "ask"
	w := setupWorkflow(t, askWorkflow)
	flow := workflow.New(w.Client, w.arn)
	ref := job.Ref{JobID: "8f14e45f-ceea-467f-9575-1b2d5d7c9c11", OrganisationID: 3}
	status := func() job.ExecutionStatus {
		s, err := flow.Status(t.Context(), ref.JobID)
		require.NoError(t, err)
		return s
	}
	require.Equal(t, job.ExecutionAbsent, status())
	require.NoError(t, flow.Stop(t.Context(), ref.JobID, "nothing runs"))
	require.NoError(t, flow.Start(t.Context(), ref))
	require.NoError(t, flow.Start(t.Context(), ref), "starting a running execution succeeds")
	require.Equal(t, job.ExecutionRunning, status())
	require.JSONEq(t, `{"jobId":"8f14e45f-ceea-467f-9575-1b2d5d7c9c11","organisationId":3}`, *w.describe(t, flow.ExecutionARN(ref.JobID)).Input)

	token := <-w.tokens
	require.NoError(t, flow.CompleteTask(t.Context(), token, map[string]string{"next": "COMPLETE"}))
	ended := w.awaitEnd(t, flow.ExecutionARN(ref.JobID))
	require.JSONEq(t, `{"next":"COMPLETE"}`, *ended.Output)
	require.Equal(t, job.ExecutionStatus("SUCCEEDED"), status())
	require.ErrorIs(t, flow.CompleteTask(t.Context(), token, nil), job.ErrTokenClosed)
	require.ErrorIs(t, flow.CompleteTask(t.Context(), "no token at all", nil), job.ErrTokenClosed)
	require.NoError(t, flow.Start(t.Context(), ref), "starting a finished execution succeeds")
	require.Equal(t, job.ExecutionStatus("SUCCEEDED"), status())
}

func TestWorkflowStop(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t)
	w := setupWorkflow(t, askWorkflow)
	flow := workflow.New(w.Client, w.arn)
	require.NoError(t, flow.Start(t.Context(), job.Ref{JobID: "j", OrganisationID: 1}))
	token := <-w.tokens
	for range 2 {
		require.NoError(t, flow.Stop(t.Context(), "j", "The job has ended."))
	}
	ended := w.awaitEnd(t, flow.ExecutionARN("j"))
	require.Equal(t, "ABORTED", string(ended.Status))
	require.Equal(t, "CANCELLED", *ended.Error)
	require.Equal(t, "The job has ended.", *ended.Cause)
	require.ErrorIs(t, flow.CompleteTask(t.Context(), token, nil), job.ErrTokenClosed)
}

func TestQueueSendsSeveralBatches(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 10, 11, 25} {
		q := setupQueues(t)
		ref := job.Ref{JobID: "j", OrganisationID: 7}
		chunks := make([]int, n)
		want := make([]job.ChunkRef, n)
		for i := range chunks {
			chunks[i] = i
			want[i] = job.ChunkRef{Ref: ref, Chunk: i}
		}
		require.NoError(t, queue.New(q.Client, *q.url).SendChunks(t.Context(), ref, chunks))
		var got []job.ChunkRef
		stacktest.Await(t, "all messages arrive", func() bool {
			for _, m := range q.receive(t, q.url, 0) {
				var c job.ChunkRef
				require.NoError(t, json.Unmarshal([]byte(*m.Body), &c))
				require.Equal(t, "organisation-7", m.Attributes[string(types.MessageSystemAttributeNameMessageGroupId)], "the message group is the organisation, for fair queueing")
				got = append(got, c)
				_, err := q.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: q.url, ReceiptHandle: m.ReceiptHandle})
				require.NoError(t, err)
			}
			return len(got) >= n
		})
		require.ElementsMatch(t, want, got)
		require.Equal(t, "0", q.attributes(t, q.url)[string(types.QueueAttributeNameApproximateNumberOfMessages)])
	}
}

func TestQueuePostponesMessage(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	exports := queue.New(q.Client, *q.url)
	require.NoError(t, exports.SendExport(t.Context(), job.ExportRef{ExportID: "e", OrganisationID: 7}))
	m := q.receive(t, q.url, 20)
	require.Len(t, m, 1)
	require.NoError(t, exports.Postpone(t.Context(), *m[0].ReceiptHandle, time.Hour))
	require.Equal(t, "1", q.attributes(t, q.url)["ApproximateNumberOfMessagesNotVisible"])
	require.NoError(t, exports.Postpone(t.Context(), *m[0].ReceiptHandle, 0))
	again := q.receive(t, q.url, 20)
	require.Len(t, again, 1)
	require.Equal(t, "2", again[0].Attributes["ApproximateReceiveCount"])
	require.Error(t, exports.Postpone(t.Context(), "no receipt", time.Minute))
}

func TestMissingQueue(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	require.Error(t, queue.New(q.Client, *q.url+"-other").SendChunks(t.Context(), job.Ref{JobID: "j"}, []int{0}))
}

// randomBytes returns n random bytes.
func randomBytes(n int) []byte {
	body := make([]byte, n)
	source := rand.NewChaCha8([32]byte{})
	_, _ = source.Read(body) // never fails
	return body
}

func TestObjectRangeReads(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	store := objectstore.New(b.Client, b.name)
	body := randomBytes(1000)
	require.NoError(t, store.Put(t.Context(), "a/b c+d", "text/csv", body))
	info, err := store.Head(t.Context(), "a/b c+d")
	require.NoError(t, err)
	require.Equal(t, int64(1000), info.Size)
	require.Equal(t, "text/csv", info.ContentType)
	for _, c := range []struct{ offset, length int64 }{{0, 1}, {0, 1000}, {999, 1}, {100, 250}, {1000, 0}} {
		part, err := store.ReadRange(t.Context(), object.Version{Key: "a/b c+d"}, c.offset, c.length)
		require.NoError(t, err)
		require.True(t, bytes.Equal(body[c.offset:c.offset+c.length], part), "%+v", c)
	}
	for _, c := range []struct{ offset, length int64 }{{999, 2}, {1000, 1}, {5000, 10}} {
		_, err := store.ReadRange(t.Context(), object.Version{Key: "a/b c+d"}, c.offset, c.length)
		require.Error(t, err, "a range read returns all bytes or an error: %+v", c)
	}
	_, err = store.Head(t.Context(), "missing")
	require.Equal(t, problem.UploadMissing, problem.CodeOf(err))
	_, err = store.ReadRange(t.Context(), object.Version{Key: "missing"}, 0, 1)
	require.Equal(t, problem.UploadMissing, problem.CodeOf(err))
	_, err = store.Size(t.Context(), "missing")
	require.Equal(t, problem.UploadMissing, problem.CodeOf(err))
}

// countingTransport counts the requests for objects, and fails as many as the test sets.
type countingTransport struct{ requests, failures atomic.Int64 }

var errTransport = errors.New("the connection is gone")

func (w *countingTransport) Do(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet {
		w.requests.Add(1)
		if w.failures.Add(-1) >= 0 {
			return nil, errTransport
		}
	}
	return http.DefaultClient.Do(r)
}

// setupSource returns an object of almost three blocks, and the transport of its requests.
func setupSource(t *testing.T) (sheet.Source, []byte, *countingTransport) {
	t.Helper()
	b, w := setupBucket(t), &countingTransport{}
	options := b.Options()
	options.HTTPClient = w
	store := objectstore.New(s3.New(options), b.name)
	body := randomBytes(11<<20 + 12345)
	require.NoError(t, store.Put(t.Context(), "big", "application/octet-stream", body))
	return store.Open(t.Context(), object.Version{Key: "big", Size: int64(len(body))}), body, w
}

func TestSequentialReadUsesFewRequests(t *testing.T) {
	t.Parallel()
	source, body, w := setupSource(t)
	require.Equal(t, int64(len(body)), source.Size())
	read, err := io.ReadAll(io.NewSectionReader(source, 0, source.Size()))
	require.NoError(t, err)
	require.True(t, bytes.Equal(body, read))
	require.Equal(t, int64(3), w.requests.Load(), "one request for each block")
}

func TestSourceSupportsConcurrentReads(t *testing.T) {
	t.Parallel()
	source, body, _ := setupSource(t)
	var group errgroup.Group
	for reader := range 6 {
		chance := rand.New(rand.NewPCG(1, uint64(reader)))
		group.Go(func() error {
			for range 40 {
				offset := chance.IntN(len(body))
				part := make([]byte, min(1+chance.IntN(1<<17), len(body)-offset))
				if n, err := source.ReadAt(part, int64(offset)); err != nil || n != len(part) {
					return errors.Join(err, io.ErrShortBuffer)
				}
				if !bytes.Equal(part, body[offset:offset+len(part)]) {
					return errors.New("other bytes than were stored")
				}
			}
			return nil
		})
	}
	require.NoError(t, group.Wait())
}

func TestSourceEndsWithObject(t *testing.T) {
	t.Parallel()
	source, body, _ := setupSource(t)
	part := make([]byte, 10)
	n, err := source.ReadAt(part, int64(len(body)-4))
	require.Equal(t, io.EOF, err)
	require.Equal(t, body[len(body)-4:], part[:n])
	n, err = source.ReadAt(part, int64(len(body)))
	require.Equal(t, io.EOF, err)
	require.Zero(t, n)
}

func TestSourceRetriesFailedBlock(t *testing.T) {
	t.Parallel()
	source, body, w := setupSource(t)
	w.failures.Store(1)
	part := make([]byte, 100)
	_, err := source.ReadAt(part, 5<<20) // of the second block only
	require.ErrorIs(t, err, errTransport)
	n, err := source.ReadAt(part, 5<<20)
	require.NoError(t, err)
	require.Equal(t, body[5<<20:5<<20+n], part)
}

// A presigned upload is valid for one object of one size, and for one content if
// its checksum was announced.
func TestPresignedUploadChecksSizeAndChecksum(t *testing.T) {
	t.Parallel()
	body, other := []byte("email,name\na@x.org,A\n"), []byte("email,name\na@x.org,B\n")
	sum := sha256.Sum256(body)
	for name, c := range map[string]struct {
		checksum string
		sent     []byte
		stored   bool
	}{
		"announced content":            {base64.StdEncoding.EncodeToString(sum[:]), body, true},
		"without a checksum":           {"", other, true},
		"other content than announced": {base64.StdEncoding.EncodeToString(sum[:]), other, false},
		"longer":                       {"", append(bytes.Clone(body), '\n'), false},
		"shorter":                      {"", body[1:], false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupBucket(t)
			store := objectstore.New(b.Client, b.name)
			upload, err := store.PresignPut(t.Context(), "uploads/1/j/source", "text/csv", int64(len(body)), c.checksum, time.Hour)
			require.NoError(t, err)
			require.WithinDuration(t, time.Now().Add(time.Hour), upload.Expires, time.Minute)
			request, err := http.NewRequestWithContext(t.Context(), upload.Method, upload.URL, bytes.NewReader(c.sent))
			require.NoError(t, err)
			for header, value := range upload.Headers {
				if header != "Content-Length" { // net/http derives it from the body
					request.Header.Set(header, value)
				}
			}
			response, err := http.DefaultClient.Do(request)
			require.NoError(t, err)
			answer, err := io.ReadAll(response.Body)
			require.NoError(t, err)
			require.NoError(t, response.Body.Close())
			_, err = store.Head(t.Context(), "uploads/1/j/source")
			if c.stored {
				require.Equal(t, http.StatusOK, response.StatusCode, "%s", answer)
				require.NoError(t, err)
				return
			}
			require.GreaterOrEqual(t, response.StatusCode, http.StatusBadRequest)
			require.Equal(t, problem.UploadMissing, problem.CodeOf(err), "%s", answer)
		})
	}
}

// sendPresigned sends a body to a presigned URL, without some of its headers, and returns
// the status of the response.
func sendPresigned(t *testing.T, to object.Upload, body string, without ...string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), to.Method, to.URL, strings.NewReader(body))
	require.NoError(t, err)
	for header, value := range to.Headers {
		if header != "Content-Length" && !slices.Contains(without, header) {
			request.Header.Set(header, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response.StatusCode
}

// Without the header that prevents replacing an object, the signature is invalid.
func TestPresignedUploadRequiresIfNoneMatch(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	store := objectstore.New(b.Client, b.name)
	upload, err := store.PresignPut(t.Context(), "uploads/1/j/source", "text/csv", 3, "", time.Hour)
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, sendPresigned(t, upload, "one", "If-None-Match"))
	_, err = store.Head(t.Context(), "uploads/1/j/source")
	require.Equal(t, problem.UploadMissing, problem.CodeOf(err))
}

// A presigned URL accepts one object: a stored object is not replaced.
func TestPresignedUploadReplacesNothing(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	store := objectstore.New(b.Client, b.name)
	const key = "uploads/1/j/source"
	upload, err := store.PresignPut(t.Context(), key, "text/csv", 3, "", time.Hour)
	require.NoError(t, err)
	require.Equal(t, "*", upload.Headers["If-None-Match"])
	require.Equal(t, http.StatusOK, sendPresigned(t, upload, "one"))
	require.Equal(t, http.StatusPreconditionFailed, sendPresigned(t, upload, "two"))
	body, err := store.ReadRange(t.Context(), object.Version{Key: key}, 0, 3)
	require.NoError(t, err)
	require.Equal(t, "one", string(body))
	require.NoError(t, store.PutIfAbsent(t.Context(), key, "text/csv", []byte("two")), "an existing object is not replaced")
	require.NoError(t, store.PutIfAbsent(t.Context(), "new", "text/csv", []byte("new")))
	for key, want := range map[string]string{key: "one", "new": "new"} {
		body, err := store.ReadRange(t.Context(), object.Version{Key: key}, 0, 3)
		require.NoError(t, err)
		require.Equal(t, want, string(body))
	}
}

// Reads of a version return that version's data or an error.
func TestReplacedVersionIsNotRead(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	store := objectstore.New(b.Client, b.name)
	require.NoError(t, store.Put(t.Context(), "a", "text/csv", []byte("first")))
	info, err := store.Head(t.Context(), "a")
	require.NoError(t, err)
	first := object.Version{Key: "a", Size: info.Size, ETag: info.ETag}
	source := store.Open(t.Context(), first)
	body, err := store.ReadRange(t.Context(), first, 1, 4)
	require.NoError(t, err)
	require.Equal(t, "irst", string(body))

	require.NoError(t, store.Put(t.Context(), "a", "text/csv", []byte("other")))
	_, err = store.ReadRange(t.Context(), first, 1, 4)
	require.Equal(t, problem.SourceChanged, problem.CodeOf(err))
	_, err = source.ReadAt(make([]byte, 5), 0)
	require.Equal(t, problem.SourceChanged, problem.CodeOf(err))
	require.NoError(t, store.Delete(t.Context(), "a"))
	_, err = store.ReadRange(t.Context(), first, 1, 4)
	require.Equal(t, problem.UploadMissing, problem.CodeOf(err))
}

func TestPresignedGetSetsFilename(t *testing.T) {
	t.Parallel()
	b := setupBucket(t)
	store := objectstore.New(b.Client, b.name)
	require.NoError(t, store.Put(t.Context(), "exports/1/e", "text/csv", []byte("id\n1\n")))
	url, err := store.PresignGet(t.Context(), "exports/1/e", `attachment; filename="users.csv"`, time.Minute)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.Equal(t, "id\n1\n", string(body))
	require.Equal(t, `attachment; filename="users.csv"`, response.Header.Get("Content-Disposition"))
}
