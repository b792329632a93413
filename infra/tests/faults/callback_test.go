package faults

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	sfntypes "github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// isCallbackPending reports whether the task of AwaitRows is not completed yet.
func (r *harness) isCallbackPending(t *testing.T, id string) bool {
	return stacktest.Query[bool](t, r.Stack, `SELECT callback_pending FROM import_jobs WHERE uuid = $1`, id)
}

// The process of the last chunk is killed just before it completes the task. Its message
// is delivered again here after a second, where SQS would wait for minutes: the
// second delivery is delayed until reconcile has completed the task.
func crashBeforeTaskSuccess(t *testing.T, r *harness) {
	waiting, killed, completed := r.newEvent(), r.newEvent(), r.newEvent()
	var tries atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		switch {
		case s.Function == "await" && s.SQL == "commit":
			return waiting.set
		case s.Function == "process" && strings.Contains(s.SQL, claimChunkSQL):
			waiting.wait(t, "the execution waits for the rows")
		}
		return nil
	})
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		switch {
		case request.Operation != "SendTaskSuccess":
		case request.Function == "reconcile":
			defer completed.set()
		case tries.Add(1) == 1:
			request.Kill()
			killed.set()
			return nil
		default:
			completed.wait(t, "reconcile tells")
		}
		return forward()
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	killed.wait(t, "the last chunk is committed")
	committed := time.Now()
	require.True(t, r.isCallbackPending(t, id), "the pending callback is saved")
	if !runsLongTests() {
		r.invoke(t, "wake") // its schedule would run it within a minute
	}
	r.requireOutcome(t, id, rawclient.Summary{Created: chunkRows})
	took := time.Since(committed)
	t.Logf("the callback was sent after %s", took)
	require.Less(t, took, time.Minute+5*time.Second, "the callback is sent within 60 s")
	require.False(t, r.isCallbackPending(t, id))
	require.Equal(t, int64(chunkRows), r.countWritten(t, id))
}

// The completion is accepted, but its sender dies before it receives the response.
func crashAfterTaskSuccess(t *testing.T, r *harness) {
	var completed atomic.Int64
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation != "SendTaskSuccess" || request.Function != "process" || completed.Add(1) > 1 {
			return forward()
		}
		forward().Body.Close()
		request.Kill()
		return nil
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	r.requireAllCreated(t, id, chunkRows)
}

// tokenLog collects the distinct task tokens that await has stored, in order.
type tokenLog struct {
	mu  sync.Mutex
	all []string
}

func (k *tokenLog) add(t *testing.T, request *intercept.Request) int {
	var put struct {
		Item struct{ Token struct{ S string } }
	}
	if err := json.Unmarshal(request.Text, &put); err != nil {
		t.Error(err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if !slices.Contains(k.all, put.Item.Token.S) { // the SDK retries requests without a response
		k.all = append(k.all, put.Item.Token.S)
	}
	return len(k.all)
}

func (k *tokenLog) count() int {
	k.mu.Lock()
	defer k.mu.Unlock()
	return len(k.all)
}

// The first attempt to wait dies before or after its token is stored; the
// state machine makes another attempt with a newer token.
func olderWaitAttempt(stored bool) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		var seen tokenLog
		r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
			if request.Operation != "PutItem" || request.Function != "await" || seen.add(t, request) > 1 {
				return forward()
			}
			if stored {
				forward().Body.Close()
			}
			request.Kill()
			return nil
		})
		id := r.importUnknownColumn(t)
		r.awaitStatus(t, id, "COLUMN_MAPPING")
		r.Await(t, "the wait is retried", func() bool { return seen.count() == 2 })
		require.NotEqual(t, seen.all[0], seen.all[1])
		r.requireTokenClosed(t, seen.all[0])
		r.answerColumns(t, id)
		r.requireAllCreated(t, id, chunkRows)
		r.requireTokenClosed(t, seen.all[1])
	}
}

// requireTokenClosed checks that the token is no longer accepted.
func (r *harness) requireTokenClosed(t *testing.T, token string) {
	t.Helper()
	_, err := sfn.NewFromConfig(r.AWSConfig()).SendTaskSuccess(t.Context(), &sfn.SendTaskSuccessInput{TaskToken: &token, Output: aws.String(`{"next":"COMPLETE"}`)})
	var late *sfntypes.TaskTimedOut
	require.ErrorAs(t, err, &late)
}

// The processor has read the token of a waiting attempt that dies before it is
// completed: the completion is too late, and the next attempt notices the completed rows itself.
func completionOfOlderAttempt(t *testing.T, r *harness) {
	var seen tokenLog
	var await atomic.Pointer[intercept.Process]
	stored, moved := r.newEvent(), r.newEvent()
	var late atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if s.Function == "process" && strings.Contains(s.SQL, claimChunkSQL) {
			stored.wait(t, "a token is stored")
		}
		return nil
	})
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		switch {
		case request.Operation == "PutItem" && request.Function == "await" && seen.add(t, request) == 1:
			answer := forward()
			await.Store(&request.Process)
			stored.set()
			moved.wait(t, "the execution has moved on") // its process is killed in the meantime
			return answer
		case request.Operation == "SendTaskSuccess" && request.Function == "process" && late.Add(1) == 1:
			await.Load().Kill()
			assert.Eventually(t, func() bool { return r.isTokenClosed(t, request) }, waitTimeout, pollInterval)
			moved.set()
		}
		return forward()
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	r.requireAllCreated(t, id, chunkRows)
	require.Equal(t, 2, seen.count())
	require.False(t, r.isCallbackPending(t, id))
}

// isTokenClosed reports whether the execution has moved on to another attempt than the one
// with the token in the request.
func (r *harness) isTokenClosed(t *testing.T, request *intercept.Request) bool {
	var sent struct{ TaskToken string }
	if err := json.Unmarshal(request.Text, &sent); err != nil {
		t.Error(err)
	}
	_, err := sfn.NewFromConfig(r.AWSConfig()).SendTaskHeartbeat(t.Context(), &sfn.SendTaskHeartbeatInput{TaskToken: &sent.TaskToken})
	return err != nil
}
