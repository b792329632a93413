package httpapi_test

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
)

// databaseWaits are the imports that wait for the database.
type databaseWaits struct {
	since map[job.ID]time.Time
	err   error
}

func (w *databaseWaits) Since(_ context.Context, id job.ID, _ time.Time) (*time.Time, error) {
	if since, waits := w.since[id]; waits {
		return &since, w.err
	}
	return nil, w.err
}

// An import whose steps find no database says since when, unless it has just made progress, waits for a
// person or has ended.
func TestImportShowsWaitForDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	at := time.Date(2026, 11, 23, 9, 14, 0, 0, time.UTC)
	const processing = `status = 'PROCESSING', uploaded_at = now(), started_at = now(), updated_at = now()`
	for assignments, waits := range map[string]bool{
		processing + ` - interval '1 minute'`: true,
		processing:                            false,
		`status = 'CANCELLED', completed_at = now(), updated_at = now() - interval '1 minute'`: false,
		`updated_at = now() - interval '1 minute'`:                                             false, // it waits for its file
	} {
		j := b.AddJob(t, assignments)
		b.waits.since[j.ID] = at
		for _, query := range []string{"", "?includeMappings=true"} {
			document := decode[fields](b.do(t, get("/api/imports/"+string(j.ID)+query)), http.StatusOK)
			if waits {
				require.Equal(t, "2026-11-23T09:14:00Z", document["waitingForDatabaseSince"])
			} else {
				require.NotContains(t, document, "waitingForDatabaseSince", assignments)
			}
		}
	}
	b.waits.err = errors.New("throttled")
	for id := range b.waits.since {
		decode[fields](b.do(t, get("/api/imports/"+string(id))), http.StatusOK)
	}
}
