package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/stack"
	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// rowsVariable enables the measurement and is the number of exported rows.
const rowsVariable = "EXPORT_ROWS"

// maxPeakBytes is the memory limit of a function for an export of any size.
const maxPeakBytes = 256 << 20

// TestExportMemory exports many rows in every format and in both ways, and compares the
// functions' peak memory with the limit. `make bench-export` runs it.
func TestExportMemory(t *testing.T) {
	rows, err := strconv.ParseInt(os.Getenv(rowsVariable), 10, 64)
	if err != nil {
		t.Skip("it takes minutes: set " + rowsVariable)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	s := stacktest.Start(t)
	stacktest.Query[int64](t, s, `
		WITH made AS (
			INSERT INTO users (organisation_id, email, name)
			SELECT 1, 'u' || n || '@x.org', 'Name ' || n FROM generate_series(1, $1::bigint) AS n
			RETURNING 1
		)
		SELECT count(*) FROM made`, rows)
	for _, format := range []string{"csv", "ndjson", "xlsx"} {
		t.Run("stream/"+format, func(t *testing.T) {
			began := time.Now()
			// All columns of a million users exceed the limit of a stream in ndjson.
			answer, err := http.Get("http://" + s.API + "/v1/exports?resource=users&fields=email,name,role,active,created_at&format=" + format)
			require.NoError(t, err)
			defer answer.Body.Close()
			n, err := io.Copy(io.Discard, answer.Body)
			require.NoError(t, err)
			require.Equal(t, strconv.FormatInt(rows, 10), answer.Header.Get("X-Total-Count"))
			t.Logf("%d bytes in %s, peak %d MiB", n, time.Since(began).Round(time.Millisecond), peakMemory(t, s, "stream")>>20)
		})
		t.Run("export/"+format, func(t *testing.T) {
			began := time.Now()
			e, file, err := s.Export(ctx, rawclient.ExportRequest{Resource: "users", Format: format}, 100*time.Millisecond)
			require.NoError(t, err)
			require.Equal(t, rows, e.RecordCount)
			t.Logf("%d bytes in %s, peak %d MiB", len(file), time.Since(began).Round(time.Millisecond), peakMemory(t, s, "export")>>20)
		})
	}
	for _, function := range []string{"stream", "export"} {
		require.Less(t, peakMemory(t, s, function), int64(maxPeakBytes), function)
	}
}

// peakMemory returns the peak memory of a process of the function so far.
func peakMemory(t *testing.T, s *stacktest.Stack, function string) int64 {
	t.Helper()
	answer, err := http.Get(fmt.Sprintf("http://%s/local/figures", s.API))
	require.NoError(t, err)
	defer answer.Body.Close()
	var figures stack.Stats
	require.NoError(t, json.NewDecoder(answer.Body).Decode(&figures))
	return figures.Functions[function].PeakMemory
}
