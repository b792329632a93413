package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/client"
	"github.com/loadbay/loadbay/infra/local/stacktest"
)

// exported is an export as the API shows it.
type exported struct {
	JobID         string `json:"job_id"`
	Status        string `json:"status"`
	RecordCount   int64  `json:"record_count"`
	SizeBytes     int64  `json:"size_bytes"`
	DownloadURL   string `json:"download_url"`
	FailureReason string `json:"failure_reason"`
}

// export asks for an export, waits for its end and returns its file.
func (r *running) export(ctx context.Context, t *testing.T, body string) (exported, []byte) {
	t.Helper()
	var e exported
	require.NoError(t, r.Do(ctx, http.MethodPost, "/v1/exports", "application/json", strings.NewReader(body), &e))
	for tick := time.NewTicker(20 * time.Millisecond); e.Status == "pending" || e.Status == "processing"; {
		select {
		case <-ctx.Done():
			require.NoError(t, ctx.Err())
		case <-tick.C:
			require.NoError(t, r.Get(ctx, "/v1/exports/"+e.JobID, &e))
		}
	}
	require.Equal(t, "completed", e.Status, e.FailureReason)
	answer, err := http.Get("http://" + r.API + e.DownloadURL) // follows the redirect to the bucket
	require.NoError(t, err)
	defer answer.Body.Close()
	file, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, string(file[:min(len(file), 1000)]))
	require.Contains(t, answer.Header.Get("Content-Disposition"), "users.")
	require.EqualValues(t, e.SizeBytes, len(file))
	return e, file
}

// TestExports writes more than one part of a multipart upload, and imports it again.
func TestExports(t *testing.T) {
	t.Parallel()
	ctx, r := importing(t)
	const rows = 50_000
	var users strings.Builder
	users.WriteString("email,name\n")
	for i := range rows {
		fmt.Fprintf(&users, "u%d@example.org,%s %d\n", i, strings.Repeat("=x", 80), i)
	}
	require.Equal(t, int64(rows), r.upload(ctx, t, client.Create{ImportType: "USER", Filename: "u.csv", AutoStart: true}, users.String()).SuccessCount)

	for _, format := range []string{"csv", "ndjson", "xlsx"} {
		e, file := r.export(ctx, t, `{"resource_type":"users","format":"`+format+`"}`)
		require.EqualValues(t, rows, e.RecordCount)
		again := r.upload(ctx, t, client.Create{ImportType: "USER", Filename: "users." + format, Mode: "upsert", AutoStart: true}, string(file))
		require.Equal(t, "COMPLETED", again.Status)
		require.Equal(t, int64(rows), again.SuccessCount)
		require.Equal(t, int64(rows), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM users WHERE name ~ '^(=x){80} [0-9]+$'`))
	}

	answer, err := http.Get("http://" + r.API + "/v1/exports?resource=users&fields=email&format=ndjson&filters=" + `%7B%22email%22%3A%22u7%40example.org%22%7D`)
	require.NoError(t, err)
	defer answer.Body.Close()
	require.Equal(t, http.StatusOK, answer.StatusCode)
	var line struct{ Email string }
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&line))
	require.Equal(t, "u7@example.org", line.Email)

	large, err := http.Get("http://" + r.API + "/v1/exports?resource=users")
	require.NoError(t, err)
	defer large.Body.Close()
	require.Equal(t, http.StatusRequestEntityTooLarge, large.StatusCode)
	var body bytes.Buffer
	_, err = body.ReadFrom(large.Body)
	require.NoError(t, err)
	require.Contains(t, body.String(), "EXPORT_TOO_LARGE")
}
