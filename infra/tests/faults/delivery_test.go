package faults

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// resendChunk sends a chunk's message again. It may be called from any goroutine.
func (r *harness) resendChunk(t *testing.T, body string) { r.sendToQueue(t, blueprint.RowsQueue, body) }

func (r *harness) sendToQueue(t *testing.T, queue, body string) {
	_, err := sqs.NewFromConfig(r.AWSConfig()).SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(r.QueueURL(queue)), MessageBody: &body})
	if err != nil {
		t.Error(err)
	}
}

// sqsBatch is a batch sent by the splitter.
type sqsBatch struct {
	QueueURL string `json:"QueueUrl"`
	Entries  []json.RawMessage
}

// The second delivery starts when the first has written everything but not yet
// committed.
func deliveredTwiceInParallel(t *testing.T, r *harness) {
	second := r.newEvent()
	var first, deliveries atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		switch {
		case s.Function != "process":
		case strings.Contains(s.SQL, claimChunkSQL):
			deliveries.Add(1)
			if !first.CompareAndSwap(0, int64(s.PID)) && first.Load() != int64(s.PID) {
				second.set()
			}
		case s.Commits(advanceSQL) && first.Load() == int64(s.PID):
			second.wait(t, "the second delivery claims the chunk")
		}
		return nil
	})
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		answer := forward()
		if request.Operation == "SendMessageBatch" {
			var sent struct {
				Entries []struct{ MessageBody string }
			}
			if err := json.Unmarshal(request.Text, &sent); err != nil {
				t.Error(err)
			}
			r.resendChunk(t, sent.Entries[0].MessageBody)
		}
		return answer
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	r.requireAllCreated(t, id, chunkRows)
	require.Equal(t, int64(2), deliveries.Load())
	require.Equal(t, int64(1), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM import_chunks AS c JOIN import_jobs AS j ON j.id = c.job_id WHERE j.uuid = $1`, id))
}

func redeliveredAfterEnd(t *testing.T, r *harness) {
	const chunks = 3
	id := r.startImport(t, r.usersFile(chunks*chunkRows))
	r.requireAllCreated(t, id, chunks*chunkRows)
	var again atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if s.Function == "process" && strings.Contains(s.SQL, readChunkSQL) {
			again.Add(1)
		}
		return nil
	})
	for i := range 2 * chunks {
		r.resendChunk(t, fmt.Sprintf(`{"jobId":%q,"organisationId":1,"chunk":%d}`, id, i/2))
	}
	r.requireNoChunksQueued(t)
	require.Equal(t, int64(2*chunks), again.Load())
	r.requireAllCreated(t, id, chunks*chunkRows)
}

// shuffleMessages changes the order in which the splitter's messages are queued: reversed
// in the first round, then random.
func (r *harness) shuffleMessages(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation == "SendMessageBatch" {
			var sent sqsBatch
			if err := json.Unmarshal(request.Text, &sent); err != nil {
				t.Error(err)
			}
			if slices.Reverse(sent.Entries); *rounds > 1 {
				random.Shuffle(len(sent.Entries), func(i, j int) { sent.Entries[i], sent.Entries[j] = sent.Entries[j], sent.Entries[i] })
			}
			request.Text, _ = json.Marshal(sent) // cannot fail for raw messages
		}
		return forward()
	})
}

// repeatedUsersFile returns a file in which each chunk contains the same people under different
// names.
func (r *harness) repeatedUsersFile(chunks int) (file, tag string) {
	tag = fmt.Sprintf("again%d", r.files.Add(1))
	var text strings.Builder
	text.WriteString("email,name\n")
	for chunk := range chunks {
		for i := range chunkRows {
			fmt.Fprintf(&text, "%s.%d@example.org,chunk %d\n", tag, i, chunk)
		}
	}
	return text.String(), tag
}

// distinctNames returns the different final names of the people of a file.
func (r *harness) distinctNames(t *testing.T, tag string) []string {
	t.Helper()
	return stacktest.Query[[]string](t, r.Stack, `SELECT array_agg(DISTINCT name) FROM users WHERE email LIKE $1 || '.%'`, tag)
}

func outOfOrderUpsert(t *testing.T, r *harness) {
	const chunks = 6
	r.shuffleMessages(t)
	file, tag := r.repeatedUsersFile(chunks)
	id := r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true, Mode: "upsert"}, file)
	r.requireOutcome(t, id, rawclient.Summary{Created: chunkRows, Updated: (chunks - 1) * chunkRows})
	require.Equal(t, []string{fmt.Sprintf("chunk %d", chunks-1)}, r.distinctNames(t, tag), "the file's last row wins")
}

func outOfOrderInsert(t *testing.T, r *harness) {
	const chunks = 6
	r.shuffleMessages(t)
	file, tag := r.repeatedUsersFile(chunks)
	id := r.startImport(t, file)
	r.requireOutcome(t, id, rawclient.Summary{Created: chunkRows, Error: (chunks - 1) * chunkRows})
	require.Equal(t, []string{"chunk 0"}, r.distinctNames(t, tag), "the file's first row wins")
	failed, err := r.Results(t.Context(), id, "ERROR", 0, chunks*chunkRows)
	require.NoError(t, err)
	require.Len(t, failed, (chunks-1)*chunkRows)
	for i, f := range failed {
		require.Equal(t, int64(2+chunkRows+i), f.RowNumber)
		require.Equal(t, "ROW_DUPLICATE", f.Faults[0].Code)
	}
}

// isChunkCommit reports whether a statement commits a chunk.
func isChunkCommit(s *intercept.Statement) bool {
	return s.Function == "process" && s.Commits(advanceSQL)
}

func crashBeforeCommit(t *testing.T, r *harness) {
	visible := int64(-1)
	killed := r.killAt(t, 1, isChunkCommit, func() { visible = r.countUsers(t) })
	before := r.countUsers(t)
	id := r.startImport(t, r.usersFile(chunkRows))
	killed.wait(t, "a chunk is to be committed")
	require.Equal(t, before, visible, "uncommitted rows are invisible")
	r.requireAllCreated(t, id, chunkRows)
}

// countUsers returns the number of users.
func (r *harness) countUsers(t *testing.T) int64 {
	return stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM users`)
}

func crashAfterCommit(t *testing.T, r *harness) {
	var commits, deliveries atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if s.Function == "process" && strings.Contains(s.SQL, readChunkSQL) {
			deliveries.Add(1)
		}
		if isChunkCommit(s) && commits.Add(1) == 1 {
			return s.Kill
		}
		return nil
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	r.requireAllCreated(t, id, chunkRows)
	require.Equal(t, int64(1), commits.Load(), "the redelivery writes nothing")
	require.GreaterOrEqual(t, deliveries.Load(), int64(2))
}

// Both chunks have written all their rows when the first one commits, and the execution
// is already waiting, so that only they can complete its task.
func twoLastChunks(t *testing.T, r *harness) {
	waiting, both := r.newEvent(), r.newEvent()
	var advancing, completions atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		switch {
		case s.Function == "await" && s.SQL == "commit":
			return waiting.set
		case s.Function != "process":
		case strings.Contains(s.SQL, claimChunkSQL):
			waiting.wait(t, "the execution waits for the rows")
		case strings.Contains(s.SQL, advanceSQL):
			if advancing.Add(1) == 2 {
				both.set()
			}
		case s.Commits(advanceSQL):
			both.wait(t, "both chunks are to be counted")
		}
		return nil
	})
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation == "SendTaskSuccess" {
			completions.Add(1)
		}
		return forward()
	})
	id := r.startImport(t, r.usersFile(2*chunkRows))
	r.requireAllCreated(t, id, 2*chunkRows)
	require.Equal(t, int64(1), completions.Load(), "exactly one chunk detects the end")
}
