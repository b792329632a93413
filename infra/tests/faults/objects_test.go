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

// unavailableResponse is what S3 says when it has too much to do.
func unavailableResponse(r *intercept.Request, answer *http.Response) *http.Response {
	_ = answer.Body.Close()
	return intercept.Response(r, http.StatusServiceUnavailable, `<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
}

// truncatedBody ends the connection when half of the body is sent.
func truncatedBody(_ *intercept.Request, answer *http.Response) *http.Response {
	answer.Body = io.NopCloser(io.LimitReader(answer.Body, answer.ContentLength/2))
	return answer
}

// shortBody says that there is less than was asked for.
func shortBody(r *intercept.Request, answer *http.Response) *http.Response {
	truncatedBody(r, answer)
	answer.ContentLength /= 2
	answer.Header.Del("Content-Length")
	return answer
}

// alteredBody changes one letter, which leaves a file that looks as good as before.
func alteredBody(_ *intercept.Request, answer *http.Response) *http.Response {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil
	}
	answer.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, []byte("User"), []byte("Usor"), 1)))
	return answer
}

// slowBody sends a byte at a time, and the first after a second.
func slowBody(_ *intercept.Request, answer *http.Response) *http.Response {
	<-time.After(time.Second)
	answer.Body = io.NopCloser(iotest.OneByteReader(answer.Body))
	return answer
}

// isFileRead reports whether a request of that function reads a file.
func isFileRead(r *intercept.Request, function string) bool {
	return r.Function == function && strings.HasPrefix(r.Operation, "GET uploads/")
}

// corruptReads spoils the first reads of a function.
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

// s3ReadFault spoils reads of a file: so few that they are repeated at once, or
// so many that the chunk's message comes again.
func s3ReadFault(function string, times, deliveries int64, how corruption) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		var n attemptCounts
		r.OnSQL(t, n.count)
		read := r.corruptReads(t, function, times, how)
		id := r.startImport(t, r.usersFile(chunkRows))
		r.requireAllCreated(t, id, chunkRows)
		require.GreaterOrEqual(t, read.Load(), times)
		require.Equal(t, deliveries, n.deliveries.Load())
		require.Equal(t, int64(1), n.transactions.Load(), "nothing is written of what does not agree")
		require.Equal(t, "User 1", r.distinctNames(t, strings.Split(r.firstEmail(t, id), ".")[0])[0])
	}
}

// firstEmail is the address of the job's first user.
func (r *harness) firstEmail(t *testing.T, id string) string {
	t.Helper()
	return stacktest.Query[string](t, r.Stack, `SELECT email FROM users AS u JOIN import_jobs AS j ON j.id = u.source_job WHERE j.uuid = $1 ORDER BY source_row LIMIT 1`, id)
}

// A chunk that can never be read is given up: its rows, and no others, are errors,
// and the job ends. The queue gives it up after five deliveries, half a minute
// here; the short form gives it up by hand.
func deadLetter(t *testing.T, r *harness) {
	const chunks = 3
	file := r.usersFile(chunks * chunkRows)
	failing := r.newEvent()
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if isFileRead(request, "process") && strings.HasPrefix(request.Header.Get("Range"), "bytes=11-") {
			failing.set()
			return nil
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
	t.Logf("ended after %s", time.Since(began))
	require.Less(t, time.Since(began), 5*time.Minute)
	failed, err := r.Results(t.Context(), id, "ERROR", 0, chunks*chunkRows)
	require.NoError(t, err)
	require.Len(t, failed, chunkRows)
	for i, f := range failed {
		require.Equal(t, int64(2+i), f.RowNumber)
		require.Equal(t, "ROW_UNDELIVERED", f.Faults[0].Code)
	}
	require.Equal(t, int64((chunks-1)*chunkRows), r.countWritten(t, id))
}
