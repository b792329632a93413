package faults

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/loadbay/loadbay/infra/tests/intercept"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
)

// cancelJob cancels a job and returns the status of the response. It may be
// called from any goroutine.
func (r *harness) cancelJob(ctx context.Context, id string) (int, error) {
	return responseStatus(r.Do(ctx, http.MethodDelete, "/api/imports/"+id, "", nil, nil))
}

// responseStatus returns the status of a response, also of an error response.
func responseStatus(err error) (int, error) {
	var refused *rawclient.Error
	if errors.As(err, &refused) {
		return refused.Status, nil
	}
	return http.StatusNoContent, err
}

// The cancellation arrives after the last chunk has committed and before the job is
// completed: it is too late.
func lastChunkBeforeCancel(t *testing.T, r *harness) {
	completing, refused := r.newEvent(), r.newEvent()
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if s.Function == "complete" {
			completing.set()
			refused.wait(t, "the cancellation is answered")
		}
		return nil
	})
	id := r.startImport(t, r.usersFile(2*chunkRows))
	completing.wait(t, "the last chunk is committed")
	status, err := r.cancelJob(t.Context(), id)
	refused.set()
	require.NoError(t, err)
	require.Equal(t, http.StatusConflict, status)
	r.requireAllCreated(t, id, 2*chunkRows)
}

// The cancellation arrives when the last chunk has written its rows but not yet
// counted them: none of its rows remains.
func cancelBeforeLastChunk(t *testing.T, r *harness) {
	writing, cancelled := r.newEvent(), r.newEvent()
	r.OnSQL(t, func(s *intercept.Statement) func() {
		if s.Function == "process" && strings.Contains(s.SQL, advanceSQL) {
			writing.set()
			cancelled.wait(t, "the cancellation is answered")
		}
		return nil
	})
	id := r.startImport(t, r.usersFile(chunkRows))
	writing.wait(t, "the chunk is written")
	status, err := r.cancelJob(t.Context(), id)
	require.Zero(t, r.countWritten(t, id))
	cancelled.set()
	require.NoError(t, err)
	require.Equal(t, http.StatusNoContent, status)
	require.Equal(t, "CANCELLED", r.awaitEnd(t, id).Status)
	r.requireExecution(t, id, "ABORTED")
	r.requireNoChunksQueued(t)
	require.Zero(t, r.countWritten(t, id))
}

// A cancellation and the only chunk are released at the same moment, many times, with a
// random short delay for one or the other.
func cancelAgainstLastChunk(t *testing.T, r *harness) {
	const races = 8
	completed := 0
	for range races {
		ready, begin := r.newEvent(), make(chan struct{})
		chunkFirst := rand.IntN(2) == 0 // with a head start of a few requests
		r.OnSQL(t, func(s *intercept.Statement) func() {
			if s.Function == "process" && strings.Contains(s.SQL, advanceSQL) && strings.Contains(s.Earlier, claimChunkSQL) {
				ready.set()
				<-begin
				if !chunkFirst {
					r.randomDelay(t)
				}
			}
			return nil
		})
		id := r.startImport(t, r.usersFile(chunkRows))
		ready.wait(t, "the chunk is written")
		var group errgroup.Group
		var status int
		var atCancel int64
		group.Go(func() (err error) {
			<-begin
			if chunkFirst {
				r.randomDelay(t)
			}
			status, err = r.cancelJob(t.Context(), id)
			atCancel = r.countWritten(t, id)
			return err
		})
		close(begin)
		require.NoError(t, group.Wait())
		j := r.awaitEnd(t, id)
		switch status {
		case http.StatusConflict:
			completed++
			r.requireAllCreated(t, id, chunkRows)
		case http.StatusNoContent:
			require.Equal(t, "CANCELLED", j.Status)
			r.requireExecution(t, id, "ABORTED")
			r.requireNoChunksQueued(t)
			require.Zero(t, atCancel, "a cancelled job has no written rows, as its only chunk was not committed")
			require.Zero(t, r.countWritten(t, id), "no row is written after the cancellation")
		default:
			require.Failf(t, "neither order", "status %d", status)
		}
	}
	t.Logf("%d of %d imports completed before the cancellation", completed, races)
}

// randomDelay sleeps for up to the duration of a few requests. It may be called from any
// goroutine.
func (r *harness) randomDelay(t *testing.T) {
	for range rand.IntN(4) {
		if _, err := responseStatus(r.Get(t.Context(), "/api/import-types", nil)); err != nil {
			t.Error(err)
		}
	}
}

// makeExpired makes a job look as if nobody had resumed it within the time for which jobs wait.
func (r *harness) makeExpired(t *testing.T, id string) {
	t.Helper()
	r.exec(t, `UPDATE import_jobs SET updated_at = now() - interval '91 days' WHERE uuid = '`+id+`'`)
}

// A person answers after 91 days, at the moment at which the purge runs.
func purgeAgainstResume(t *testing.T, r *harness) {
	const races = 6
	resumed := 0
	r.invoke(t, "purge") // starts its process
	for range races {
		id := r.importUnknownColumn(t)
		r.awaitStatus(t, id, "COLUMN_MAPPING")
		r.makeExpired(t, id)
		purged := make(chan struct{})
		purgeFirst := rand.IntN(2) == 0
		go func() {
			defer close(purged)
			if !purgeFirst {
				r.randomDelay(t)
			}
			r.invoke(t, "purge")
		}()
		if purgeFirst {
			r.randomDelay(t)
		}
		err := r.tryAnswer(t, id, "column-mappings", map[string]any{"ignore": true})
		<-purged
		status, err := responseStatus(err)
		require.NoError(t, err)
		switch status {
		case http.StatusNoContent:
			resumed++
			r.requireAllCreated(t, id, chunkRows)
		case http.StatusGone, http.StatusNotFound, http.StatusConflict:
			r.requireExecution(t, id, "ABORTED")
			require.Zero(t, r.countWritten(t, id))
			left, err := r.Job(t.Context(), id)
			there, err := responseStatus(err)
			require.NoError(t, err)
			if there == http.StatusNoContent { // a later run deletes the ended job
				require.Equal(t, "CANCELLED", left.Status)
			}
		default:
			require.Failf(t, "neither order", "status %d", status)
		}
	}
	t.Logf("%d of %d imports resumed before the purge", resumed, races)
}
