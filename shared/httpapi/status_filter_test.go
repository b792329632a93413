package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// countEntries returns the number of entries in a list, which must equal its header.
func (b *bundle) countEntries(t *testing.T, path string) int {
	t.Helper()
	a := b.do(t, get(path))
	found := decode[[]fields](a, http.StatusOK)
	require.Regexp(t, a.Header().Get("X-Total-Count"), len(found))
	return len(found)
}

func TestStatusFilter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func() string {
		return decode[fields](b.createV1(t, nil, part{"file", "users.csv", users}, part{"resource_type", "", "users"}), http.StatusAccepted)["job_id"].(string)
	}
	create()
	b.setStatus(t, create(), job.ColumnMapping)
	b.processRows(t, create(), "C")
	b.finishJob(t, create(), "CUS")
	b.finishJob(t, create(), "CE")
	b.finishJob(t, create(), "CE")
	b.setStatus(t, create(), job.Failed)
	b.setStatus(t, create(), job.Cancelled)
	for status, want := range map[string]int{
		"pending": 2, "processing": 1, "completed": 1, "completed_with_errors": 2, "failed": 1, "cancelled": 1, "": 8,
	} {
		require.Equal(t, want, b.countEntries(t, "/v1/imports?status="+status), status)
	}
	for status, want := range map[string]int{
		"UPLOADED": 1, "COLUMN_MAPPING": 1, "CELL_MAPPING": 0, "PROCESSING": 1, "COMPLETED": 3, "FAILED": 1, "CANCELLED": 1, "": 8,
	} {
		require.Equal(t, want, b.countEntries(t, "/api/imports?status="+status), status)
	}
	b.do(t, get("/v1/imports?status=FAILED")).requireProblem(400, problem.ParameterInvalid)
	b.do(t, get("/api/imports?status=failed")).requireProblem(400, problem.ParameterInvalid)
}

func TestBatchStatusFilter(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, status := range []job.Status{"", job.Failed, job.Cancelled, job.Cancelled} {
		id := decode[fields](b.uploadOrders(t, "ann", orders+string(status), nil), http.StatusAccepted)["jobIdentifier"].(string)
		if status != "" {
			b.setStatus(t, id, status)
		}
	}
	for status, want := range map[string]int{"PROCESSING": 1, "COMPLETED": 0, "FAILED": 3, "": 4} {
		require.Equal(t, want, b.countEntries(t, "/api/orders/bulk-uploads?status="+status), status)
		require.Equal(t, want, b.countEntries(t, "/api/orders/bulk-uploads?uploader=ann&status="+status), status)
	}
	b.do(t, get("/api/orders/bulk-uploads?status=CANCELLED")).requireProblem(400, problem.ParameterInvalid)
}
