package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// sumOf returns the sum of the named members.
func sumOf(t *testing.T, f fields, names ...string) float64 {
	t.Helper()
	total := 0.0
	for _, name := range names {
		n, ok := f[name].(float64)
		require.True(t, ok, "%s is %v", name, f[name])
		total += n
	}
	return total
}

// Counts add up for a file with two created rows and one each that was updated, unchanged, skipped
// and in error, two blank lines and a header.
func TestCountsAreConsistent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
	b.processRows(t, id, "CESU=C", errorRow(3, rowwrite.Errored, "CELL_DATE", "BIRTH_DATE", "31.2.2020", "There is no such day."))
	b.Exec(t, `UPDATE import_jobs SET file_lines = 9, blank_lines = 2, header_lines = 1`)
	b.setStatus(t, id, job.Completed)

	of := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
	require.InDelta(t, 4, of["successCount"], 0, "skipped rows do not count as successful")
	require.InDelta(t, of["successCount"].(float64), sumOf(t, of, "createdCount", "updatedCount", "unchangedCount"), 0)
	require.InDelta(t, of["processedRows"].(float64), sumOf(t, of, "successCount", "skippedCount", "errorCount"), 0)
	require.InDelta(t, of["fileLines"].(float64), sumOf(t, of, "successCount", "skippedCount", "errorCount", "blankLines", "headerRows"), 0)
	require.InDelta(t, 9, of["fileLines"], 0)

	v1 := decode[fields](b.do(t, get("/v1/imports/"+id)), http.StatusOK)
	require.InDelta(t, 1, v1["skipped_records"], 0)
	require.InDelta(t, 1, v1["unchanged_records"], 0)
	require.InDelta(t, 4, v1["successful_records"], 0, "unchanged rows count as successful")
	require.InDelta(t, v1["total_records"].(float64), sumOf(t, v1, "successful_records", "skipped_records", "error_records"), 0)

	facade := decode[fields](b.do(t, get("/api/memberships/import/"+id)), http.StatusOK)
	require.InDelta(t, facade["totalRows"].(float64), sumOf(t, facade, "created", "updated", "unchanged", "skipped", "errors"), 0)
}

// Totals are null if not all rows have an outcome.
func TestTotalsAreNullAfterEarlyEnd(t *testing.T) {
	t.Parallel()
	for _, status := range []job.Status{job.Failed, job.Cancelled} {
		t.Run(string(status), func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := decode[fields](b.importRoster(t, nil), http.StatusAccepted)["identifier"].(string)
			b.processRows(t, id, "CES")
			b.Exec(t, `UPDATE import_jobs SET chunk_total = 2, total_rows = 40000, file_lines = 40001, header_lines = 1`)
			b.setStatus(t, id, status)
			of := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
			require.InDelta(t, of["processedRows"].(float64), sumOf(t, of, "successCount", "skippedCount", "errorCount"), 0)
			for _, name := range []string{"fileLines", "blankLines", "headerRows"} {
				require.Contains(t, of, name)
				require.Nil(t, of[name], name)
			}
			require.Nil(t, decode[fields](b.do(t, get("/api/memberships/import/"+id)), http.StatusOK)["totalRows"])
		})
	}
}

// A cancelled batch counts only the rows that were processed.
func TestCancelledBatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	doc := decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusAccepted)
	id := doc["jobIdentifier"].(string)
	b.processRows(t, id, "C")
	b.Exec(t, `UPDATE import_jobs SET chunk_total = 2, total_rows = 40000`)
	path := "/api/orders/bulk-uploads/" + doc["batchId"].(string)
	require.InDelta(t, 40000, decode[fields](b.do(t, get(path)), http.StatusOK)["totalRows"], 0, "a running batch reports its estimated total")
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: "DELETE", path: "/api/imports/" + id}).Code)
	batch := decode[fields](b.do(t, get(path)), http.StatusOK)
	require.Equal(t, "FAILED", batch["status"])
	require.Nil(t, batch["totalRows"])
	require.InDelta(t, 1, batch["createdCount"], 0)
	require.Equal(t, "CANCELLED", batch["failure"].(map[string]any)["code"])
}
