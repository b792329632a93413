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

// spoil changes S3's response to a read.
type spoil func(*intercept.Request, *http.Response) *http.Response

// unavailable is what S3 says when it has too much to do.
func unavailable(r *intercept.Request, answer *http.Response) *http.Response {
	_ = answer.Body.Close()
	return intercept.Response(r, http.StatusServiceUnavailable, `<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`)
}

// truncated ends the connection when half of the body is sent.
func truncated(_ *intercept.Request, answer *http.Response) *http.Response {
	answer.Body = io.NopCloser(io.LimitReader(answer.Body, answer.ContentLength/2))
	return answer
}

// short says that there is less than was asked for.
func short(r *intercept.Request, answer *http.Response) *http.Response {
	truncated(r, answer)
	answer.ContentLength /= 2
	answer.Header.Del("Content-Length")
	return answer
}

// altered changes one letter, which leaves a file that looks as good as before.
func altered(_ *intercept.Request, answer *http.Response) *http.Response {
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		return nil
	}
	answer.Body = io.NopCloser(bytes.NewReader(bytes.Replace(body, []byte("User"), []byte("Usor"), 1)))
	return answer
}

// slow sends a byte at a time, and the first after a second.
func slow(_ *intercept.Request, answer *http.Response) *http.Response {
	<-time.After(time.Second)
	answer.Body = io.NopCloser(iotest.OneByteReader(answer.Body))
	return answer
}

// reads reports whether a request of that function reads a file.
func reads(r *intercept.Request, function string) bool {
	return r.Function == function && strings.HasPrefix(r.Operation, "GET uploads/")
}

// spoilReads spoils the first reads of a function.
func (r *rig) spoilReads(t *testing.T, function string, times int64, how spoil) *atomic.Int64 {
	var count atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		answer := forward()
		if reads(request, function) && count.Add(1) <= times && answer != nil {
			return how(request, answer)
		}
		return answer
	})
	return &count
}

// objectFault spoils reads of a file: so few that they are repeated at once, or
// so many that the chunk's message comes again.
func objectFault(function string, times, deliveries int64, how spoil) func(*testing.T, *rig) {
	return func(t *testing.T, r *rig) {
		var n tries
		r.OnSQL(t, n.count)
		read := r.spoilReads(t, function, times, how)
		id := r.begin(t, r.users(chunkRows))
		r.requireAll(t, id, chunkRows)
		require.GreaterOrEqual(t, read.Load(), times)
		require.Equal(t, deliveries, n.deliveries.Load())
		require.Equal(t, int64(1), n.transactions.Load(), "nothing is written of what does not agree")
		require.Equal(t, "User 1", r.names(t, strings.Split(r.firstOf(t, id), ".")[0])[0])
	}
}

// firstOf is the address of the job's first user.
func (r *rig) firstOf(t *testing.T, id string) string {
	t.Helper()
	return stacktest.Query[string](t, r.Stack, `SELECT email FROM users AS u JOIN import_jobs AS j ON j.id = u.source_job WHERE j.uuid = $1 ORDER BY source_row LIMIT 1`, id)
}

// A chunk that can never be read is given up: its rows, and no others, are errors,
// and the job ends. The queue gives it up after five deliveries, half a minute
// here; the short form gives it up by hand.
func deadLetter(t *testing.T, r *rig) {
	const chunks = 3
	file := r.users(chunks * chunkRows)
	failing := r.newEvent()
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if reads(request, "process") && strings.HasPrefix(request.Header.Get("Range"), "bytes=11-") {
			failing.happened()
			return nil
		}
		return forward()
	})
	began := time.Now()
	id := r.begin(t, file)
	failing.wait(t, "the chunk cannot be read")
	if !long() {
		r.sendTo(t, blueprint.RowsDeadLetters, fmt.Sprintf(`{"jobId":%q,"organisationId":1,"chunk":0}`, id))
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
	require.Equal(t, int64((chunks-1)*chunkRows), r.written(t, id))
}
