package faults

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// corruption changes S3's response to a read.
type corruption func(*intercept.Request, *http.Response) *http.Response

// unavailableResponse is S3's response when it is overloaded.
func unavailableResponse(r *intercept.Request, answer *http.Response) *http.Response {
	_ = answer.Body.Close()
	return intercept.Response(r, http.StatusServiceUnavailable, `<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
}

// truncatedBody closes the connection after half of the body.
func truncatedBody(_ *intercept.Request, answer *http.Response) *http.Response {
	answer.Body = io.NopCloser(io.LimitReader(answer.Body, answer.ContentLength/2))
	return answer
}

// shortBody returns a shorter body than requested, with a matching length.
func shortBody(r *intercept.Request, answer *http.Response) *http.Response {
	truncatedBody(r, answer)
	answer.ContentLength /= 2
	answer.Header.Del("Content-Length")
	return answer
}

// alteredBody changes one letter, which results in an equally valid file.
func alteredBody(_ *intercept.Request, answer *http.Response) *http.Response {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil
	}
	answer.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, []byte("User"), []byte("Usor"), 1)))
	return answer
}

// slowBody sends one byte at a time, the first after a second.
func slowBody(_ *intercept.Request, answer *http.Response) *http.Response {
	<-time.After(time.Second)
	answer.Body = io.NopCloser(iotest.OneByteReader(answer.Body))
	return answer
}

// isFileRead reports whether a request is a file read of that function.
func isFileRead(r *intercept.Request, function string) bool {
	return r.Function == function && strings.HasPrefix(r.Operation, "GET uploads/")
}

// corruptReads corrupts the first reads of a function.
func (r *harness) corruptReads(t *testing.T, function string, times int64, how corruption) *atomic.Int64 {
	var count atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		answer := forward()
		if isFileRead(request, function) && count.Add(1) <= times && answer != nil {
			return how(request, answer)
		}
		return answer
	})
	return &count
}

// s3ReadFault corrupts reads of a file: few enough to be retried immediately, or
// so many that the chunk's message is delivered again.
func s3ReadFault(function string, times, deliveries int64, how corruption) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		var n attemptCounts
		r.OnSQL(t, n.count)
		read := r.corruptReads(t, function, times, how)
		id := r.startImport(t, r.usersFile(chunkRows))
		r.requireAllCreated(t, id, chunkRows)
		require.GreaterOrEqual(t, read.Load(), times)
		require.Equal(t, deliveries, n.deliveries.Load())
		require.Equal(t, int64(1), n.transactions.Load(), "rows of a chunk that fails verification are not written")
		require.Equal(t, "User 1", r.distinctNames(t, strings.Split(r.firstEmail(t, id), ".")[0])[0])
	}
}

// firstEmail returns the e-mail address of the job's first user.
func (r *harness) firstEmail(t *testing.T, id string) string {
	t.Helper()
	return stacktest.Query[string](t, r.Stack, `SELECT email FROM users AS u JOIN import_jobs AS j ON j.id = u.source_job WHERE j.uuid = $1 ORDER BY source_row LIMIT 1`, id)
}

// A chunk that can never be read is dead-lettered: its rows, and no others, are errors,
// and the job ends within a minute. The short form moves the message by hand.
func deadLetter(t *testing.T, r *harness) {
	const chunks = 3
	file := r.usersFile(chunks * chunkRows)
	failing := r.newEvent()
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if isFileRead(request, "process") && strings.HasPrefix(request.Header.Get("Range"), "bytes=11-") {
			failing.set()
			return intercept.Response(request, http.StatusForbidden, `<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>`)
		}
		return forward()
	})
	began := time.Now()
	id := r.startImport(t, file)
	failing.wait(t, "the chunk cannot be read")
	if !runsLongTests() {
		r.sendToQueue(t, blueprint.RowsDeadLetters, fmt.Sprintf(`{"jobId":%q,"organisationId":1,"chunk":0}`, id))
	}
	r.requireOutcome(t, id, rawclient.Summary{Created: (chunks - 1) * chunkRows, Error: chunkRows})
	t.Logf("the import ended after %s", time.Since(began))
	require.Less(t, time.Since(began), time.Minute)
	failed, err := r.Results(t.Context(), id, "ERROR", 0, chunks*chunkRows)
	require.NoError(t, err)
	require.Len(t, failed, chunkRows)
	for i, f := range failed {
		require.Equal(t, int64(2+i), f.RowNumber)
		require.Equal(t, "ROW_UNDELIVERED", f.Faults[0].Code)
	}
	require.Equal(t, int64((chunks-1)*chunkRows), r.countWritten(t, id))
}
