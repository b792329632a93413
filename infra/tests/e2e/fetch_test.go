package e2e

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The URL contains a name that turns out to be this machine's only when a connection
// is opened.
func TestFetchRejectsLocalAddresses(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	var j struct {
		JobID       string `json:"job_id"`
		Status      string `json:"status"`
		FailureCode string `json:"failure_code"`
	}
	address := "http://localhost/openapi.yaml"
	require.NoError(t, r.Do(ctx, http.MethodPost, "/v1/imports", "application/json", strings.NewReader(`{"resource_type":"users","url":"`+address+`"}`), &j))
	for tick := time.NewTicker(20 * time.Millisecond); j.Status == "pending"; {
		select {
		case <-ctx.Done():
			require.NoError(t, ctx.Err())
		case <-tick.C:
			require.NoError(t, r.Get(ctx, "/v1/imports/"+j.JobID, &j))
		}
	}
	require.Equal(t, "failed", j.Status)
	require.Equal(t, "URL_FORBIDDEN", j.FailureCode)
}
