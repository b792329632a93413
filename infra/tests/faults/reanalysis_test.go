package faults

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// reanalyze has the file of an import analysed again without its last row. It may be called
// from any goroutine.
func (r *harness) reanalyze(ctx context.Context, id string) error {
	return r.Do(ctx, http.MethodPatch, "/api/imports/"+id+"/source", "application/json", strings.NewReader(`{"skipFooterRows":1}`), nil)
}

// requireReanalyzed answers the questions and checks that all rows but the last are imported.
func (r *harness) requireReanalyzed(t *testing.T, id string) {
	t.Helper()
	r.awaitStatus(t, id, "COLUMN_MAPPING")
	r.answerColumns(t, id)
	r.requireOutcome(t, id, rawclient.Summary{Created: chunkRows - 1})
	require.Equal(t, int64(chunkRows-1), r.countWritten(t, id))
}

// The API is killed after its commit, just before it completes the task: the job is due for
// reanalysis, but the execution is not notified. Reconcile notifies it.
func crashBeforeReanalysis(t *testing.T, r *harness) {
	waiting, killed := r.newEvent(), r.newEvent()
	var tries atomic.Int64
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if s.Function == "await" && s.SQL == "commit" {
			return waiting.set
		}
		return nil
	})
	r.OnAWS(t, func(request *intercept.Request, forward func() *http.Response) *http.Response {
		if request.Operation != "SendTaskSuccess" || request.Function != "api" || tries.Add(1) > 1 {
			return forward()
		}
		request.Kill()
		killed.set()
		return nil
	})
	id := r.importUnknownColumn(t)
	r.awaitStatus(t, id, "COLUMN_MAPPING")
	waiting.wait(t, "the execution waits for the person")
	_ = r.reanalyze(t.Context(), id) // the response is irrelevant: the process is dead
	killed.wait(t, "the change is committed")
	r.awaitStatus(t, id, "UPLOADED")
	r.exec(t, `UPDATE import_jobs SET updated_at = now() - interval '1 minute' WHERE uuid = '`+id+`'`)
	r.invoke(t, "reconcile") // its schedule would run it within a minute
	r.requireReanalyzed(t, id)
}

// The second analysis is killed before or after its commit, and is retried.
func reanalysisCrashes(committed bool) func(*testing.T, *harness) {
	return func(t *testing.T, r *harness) {
		id := r.importUnknownColumn(t)
		r.awaitStatus(t, id, "COLUMN_MAPPING")
		var kills atomic.Int64
		r.OnSQL(t, func(s *intercept.Statement) func() {
			if s.Function != "analyze" || s.SQL != "commit" || !strings.Contains(s.Earlier, "SET dialect") || kills.Add(1) > 1 {
				return nil
			}
			if !committed {
				s.Kill()
				s.Disconnect()
				return nil
			}
			return s.Kill
		})
		require.NoError(t, r.reanalyze(t.Context(), id))
		r.requireReanalyzed(t, id)
		require.GreaterOrEqual(t, kills.Load(), int64(1))
	}
}

// Two people change the reading options and confirm at the same moment, many times: the
// request that completes the wait may not be the one that made the change.
func reanalyzeAgainstConfirm(t *testing.T, r *harness) {
	const races = 4
	for range races {
		id := r.importUnknownColumn(t)
		r.awaitStatus(t, id, "COLUMN_MAPPING")
		changed := make(chan error, 1)
		go func() { changed <- r.reanalyze(context.WithoutCancel(t.Context()), id) }()
		status, err := responseStatus(r.tryAnswer(t, id, "column-mappings", map[string]any{"ignore": true}))
		require.NoError(t, err)
		change, err := responseStatus(<-changed)
		require.NoError(t, err)
		if change == http.StatusNoContent {
			if status == http.StatusNoContent { // the decision arrived after the questions had been asked again
				r.requireOutcome(t, id, rawclient.Summary{Created: chunkRows - 1})
				continue
			}
			r.awaitJob(t, id, func(j *rawclient.Job) bool { return j.Status == "COLUMN_MAPPING" })
			require.NoError(t, r.Do(t.Context(), http.MethodPost, "/api/imports/"+id+"/column-mappings/confirm", "", nil, nil))
			r.requireOutcome(t, id, rawclient.Summary{Created: chunkRows - 1})
			continue
		}
		require.Equal(t, http.StatusConflict, change)
		require.Equal(t, http.StatusNoContent, status)
		r.requireAllCreated(t, id, chunkRows)
	}
}
