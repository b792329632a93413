package faults

import (
	"flag"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	sqstypes "github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// rounds is the number of times each fault is injected.
var rounds = flag.Int("rounds", 1, "how often each fault is made to happen; above 1 also those that take minutes")

// runsLongTests reports whether to run tests that take minutes.
func runsLongTests() bool { return *rounds > 1 }

// waitTimeout limits every wait for an expected event.
const waitTimeout = stacktest.Timeout

// pollInterval is the pause between two checks.
const pollInterval = 20 * time.Millisecond

// chunkRows and partRows are small, so that small files have many chunks and parts.
const (
	chunkRows = 20
	partRows  = 5
)

// harness is a Loadbay with functions that connect through an Interceptor.
type harness struct {
	*stacktest.Stack
	*intercept.Interceptor
	files atomic.Int64
}

func start(t *testing.T) *harness {
	t.Helper()
	between := intercept.New(t, filepath.Join(stacktest.Root(t), "bin", "functions"),
		fmt.Sprintf("CHUNK_ROWS=%d", chunkRows), fmt.Sprintf("PART_ROWS=%d", partRows),
		"WHOLE_FILE_RESERVE=15m") // the function's timeout: every part is the last one of its invocation
	return &harness{Interceptor: between, Stack: stacktest.Start(t, "BIN_DIR="+between.BinDir)}
}

// usersFile returns a CSV of n users that no other file contains, one line each after the header.
func (r *harness) usersFile(n int) string {
	file := r.files.Add(1)
	var text strings.Builder
	text.WriteString("email,name\n")
	for i := range n {
		fmt.Fprintf(&text, "f%d.%d@example.org,User %d\n", file, i+1, i+1)
	}
	return text.String()
}

// startImport uploads a file of users that is imported without questions.
func (r *harness) startImport(t *testing.T, file string) string {
	t.Helper()
	return r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.csv", AutoStart: true}, file)
}

func (r *harness) uploadFile(t *testing.T, create rawclient.CreateRequest, file string) string {
	t.Helper()
	create.SizeBytes = int64(len(file))
	j, err := r.Upload(t.Context(), create, strings.NewReader(file))
	require.NoError(t, err)
	return j.Identifier
}

// awaitJob waits until wanted returns true for a job. The API may fail in the meantime.
func (r *harness) awaitJob(t *testing.T, id string, wanted func(*rawclient.Job) bool) *rawclient.Job {
	t.Helper()
	var last *rawclient.Job
	defer func() {
		if t.Failed() {
			t.Logf("the job was last seen as %+v", last)
		}
	}()
	r.Await(t, "the job reaches the expected state", func() bool {
		j, err := r.Job(t.Context(), id)
		if err != nil {
			return false
		}
		last = j
		return wanted(j)
	})
	return last
}

// awaitEnd waits for the job's end.
func (r *harness) awaitEnd(t *testing.T, id string) *rawclient.Job {
	t.Helper()
	return r.awaitJob(t, id, (*rawclient.Job).Ended)
}

// awaitStatus waits until the job is in that status.
func (r *harness) awaitStatus(t *testing.T, id, status string) {
	t.Helper()
	j := r.awaitJob(t, id, func(j *rawclient.Job) bool { return j.Status == status || j.Ended() })
	require.Equal(t, status, j.Status, "%+v", j.Failure)
}

// requireAllCreated waits for the end of an import of rows users, and checks that each
// was created exactly once.
func (r *harness) requireAllCreated(t *testing.T, id string, rows int) {
	t.Helper()
	r.requireOutcome(t, id, rawclient.Summary{Created: int64(rows)})
	require.Equal(t, int64(rows), r.countWritten(t, id))
}

// countWritten returns the number of users that the job has written.
func (r *harness) countWritten(t *testing.T, id string) int64 {
	t.Helper()
	return stacktest.Query[int64](t, r.Stack, `SELECT count(DISTINCT (u.id, u.source_row)) FROM users AS u JOIN import_jobs AS j ON j.id = u.source_job WHERE j.uuid = $1`, id)
}

// requireOutcome waits for a job's completion and compares every record of its outcome:
// the outcomes of its rows, its counters, its ledger, its execution,
// the queues.
func (r *harness) requireOutcome(t *testing.T, id string, want rawclient.Summary) {
	t.Helper()
	j := r.awaitEnd(t, id)
	require.Equal(t, "COMPLETED", j.Status, "%+v", j.Failure)
	got, err := r.Summary(t.Context(), id)
	require.NoError(t, err)
	require.Equal(t, want, got)
	require.Equal(t, want.Created+want.Updated, j.SuccessCount)
	require.Equal(t, want.Skipped, j.SkippedCount)
	require.NotNil(t, j.FileLines)
	require.Equal(t, *j.FileLines, j.SuccessCount+j.SkippedCount+j.ErrorCount+*j.BlankLines+*j.HeaderRows)
	require.Equal(t, want.Error, j.ErrorCount)
	require.True(t, stacktest.Query[bool](t, r.Stack, `
		SELECT file_lines = header_lines + blank_lines + created_count + updated_count + unchanged_count + skipped_count + error_count
		   AND chunks_done = chunk_total AND deferred_count = 0 AND (whole_file OR NOT EXISTS (
		       SELECT FROM import_chunks AS c WHERE c.job_id = j.id AND (NOT c.done OR octet_length(c.outcomes) <> c.line_count)))
		FROM import_jobs AS j WHERE uuid = $1`, id), "counters and ledger agree")
	r.requireExecution(t, id, "SUCCEEDED")
	r.requireNoChunksQueued(t)
}

// requireExecution waits until the job's only execution is closed with a status.
func (r *harness) requireExecution(t *testing.T, id, status string) {
	t.Helper()
	flow := sfn.NewFromConfig(r.AWSConfig())
	r.Await(t, "the execution of "+id+" is "+status, func() bool {
		out, err := flow.DescribeExecution(t.Context(), &sfn.DescribeExecutionInput{ExecutionArn: aws.String(executionARN(id))})
		return err == nil && string(out.Status) == status
	})
}

// stateMachineARN returns the ARN of the state machine.
func stateMachineARN() string {
	return blueprint.LocalDeployment().StateMachineARN(blueprint.New().StateMachine.Name)
}

// executionARN returns the ARN of a job's execution.
func executionARN(id string) string {
	return blueprint.LocalDeployment().ExecutionARN(blueprint.New().StateMachine.Name, id)
}

// requireNoChunksQueued waits until no chunk is queued, and checks that none was dead-lettered.
func (r *harness) requireNoChunksQueued(t *testing.T) {
	t.Helper()
	r.Await(t, "no chunk is queued", func() bool { return r.queueLength(t, blueprint.RowsQueue) == 0 })
	require.Zero(t, r.queueLength(t, blueprint.RowsDeadLetters), "chunks are in the dead-letter queue")
}

// queueLength returns the number of messages in a queue, including those in flight.
func (r *harness) queueLength(t *testing.T, queue string) int {
	t.Helper()
	out, err := sqs.NewFromConfig(r.AWSConfig()).GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{
		QueueUrl: aws.String(r.QueueURL(queue)), AttributeNames: []sqstypes.QueueAttributeName{"All"},
	})
	require.NoError(t, err)
	n := 0
	for _, name := range []string{"ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible", "ApproximateNumberOfMessagesDelayed"} {
		var count int
		_, err := fmt.Sscan(out.Attributes[name], &count)
		require.NoError(t, err)
		n += count
	}
	return n
}

// invoke runs a function, as its schedule does. It may be called from any goroutine.
func (r *harness) invoke(t *testing.T, function string) {
	out, err := lambda.NewFromConfig(r.AWSConfig()).Invoke(t.Context(), &lambda.InvokeInput{FunctionName: aws.String(lambdahost.Name(function)), Payload: []byte("{}")})
	switch {
	case err != nil:
		t.Errorf("invoke %s: %v", function, err)
	case out.FunctionError != nil:
		t.Errorf("invoke %s: %s", function, out.Payload)
	}
}
