package faults

import (
	"bytes"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/sample"
	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// manyChunks is more than one batch of ledger entries, which is 100.
const manyChunks = 105

// chunkBoundaries returns where the newest job is cut: all that is known of its chunks
// before any is processed.
func (r *harness) chunkBoundaries(t *testing.T) string {
	return stacktest.Query[string](t, r.Stack, `
		SELECT coalesce(string_agg(concat_ws(' ', chunk_index, object_key, byte_offset, byte_length, first_row, line_count, row_count, crc32c), E'\n' ORDER BY chunk_index), '')
		FROM import_chunks WHERE job_id = (SELECT max(id) FROM import_jobs)`)
}

// isSplitComplete reports whether the newest job is marked as completely split.
func (r *harness) isSplitComplete(t *testing.T) bool {
	return stacktest.Query[bool](t, r.Stack, `SELECT split_complete FROM import_jobs ORDER BY id DESC LIMIT 1`)
}

// The splitter dies when part of the ledger is written, or all of it except the mark that
// it is complete.
func splitterCrashesAtLedger(point string, nth int64, kept int) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		var before string
		complete := true
		killed := r.killAt(t, nth, func(s *intercept.Statement) bool { return s.Function == "split" && strings.Contains(s.SQL, point) }, func() {
			before, complete = r.chunkBoundaries(t), r.isSplitComplete(t)
		})
		id := r.startImport(t, r.usersFile(manyChunks*chunkRows))
		killed.wait(t, "the splitter gets there")
		require.False(t, complete, "the ledger is marked complete last")
		require.Len(t, strings.Split(before, "\n"), kept)
		r.requireAllCreated(t, id, manyChunks*chunkRows)
		require.Contains(t, r.chunkBoundaries(t)+"\n", before+"\n", "boundaries and keys are unchanged")
	}
}

// The splitter dies when only some of the messages are sent.
func splitterCrashesAtQueue(t *testing.T, r *harness) {
	var batches atomic.Int64
	var before string
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation == "SendMessageBatch" && batches.Add(1) == 3 {
			before = r.chunkBoundaries(t)
			request.Kill()
			return nil
		}
		return forward()
	})
	id := r.startImport(t, r.usersFile(manyChunks*chunkRows))
	r.requireAllCreated(t, id, manyChunks*chunkRows)
	require.Equal(t, before, r.chunkBoundaries(t))
}

// The splitter dies while it writes the chunks of a workbook.
func splitterCrashesAtObjects(t *testing.T, r *harness) {
	const chunks = 6
	var puts atomic.Int64
	keys := make(chan string, 4*chunks)
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if strings.HasPrefix(request.Operation, "PUT chunks/") {
			keys <- request.Operation
			if puts.Add(1) == 3 {
				request.Kill()
				return nil
			}
		}
		return forward()
	})
	var file bytes.Buffer
	require.NoError(t, sample.UsersWorkbook(&file, chunks*chunkRows))
	stacktest.Query[int](t, r.Stack, `WITH gone AS (DELETE FROM users WHERE email LIKE 'user.%' RETURNING id) SELECT count(*) FROM gone`)
	id := r.uploadFile(t, rawclient.CreateRequest{ImportType: "USER", Filename: "users.xlsx", AutoStart: true}, file.String())
	r.requireAllCreated(t, id, chunks*chunkRows)
	close(keys)
	stored := make(map[string]int)
	for key := range keys {
		stored[key]++
	}
	require.Len(t, stored, chunks, "both attempts write the same keys")
	for key, times := range stored {
		require.LessOrEqual(t, times, 2, key)
	}
}
