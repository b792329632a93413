package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

// count is how many entries a list has, by its document and by its header.
func (b *bundle) count(t *testing.T, path string) int {
	t.Helper()
	a := b.do(t, get(path))
	found := decode[[]fields](a, http.StatusOK)
	require.Regexp(t, a.Header().Get("X-Total-Count"), len(found))
	return len(found)
}

func TestListsAreNarrowedByStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func() string {
		return decode[fields](b.createV1(t, nil, part{"file", "users.csv", users}, part{"resource_type", "", "users"}), http.StatusAccepted)["job_id"].(string)
	}
	create()
	b.move(t, create(), job.ColumnMapping)
	b.process(t, create(), "C")
	b.finish(t, create(), "CUS")
	b.finish(t, create(), "CE")
	b.finish(t, create(), "CE")
	b.move(t, create(), job.Failed)
	b.move(t, create(), job.Cancelled)
	for status, want := range map[string]int{
		"pending": 2, "processing": 1, "completed": 1, "completed_with_errors": 2, "failed": 1, "cancelled": 1, "": 8,
	} {
		require.Equal(t, want, b.count(t, "/v1/imports?status="+status), status)
	}
	for status, want := range map[string]int{
		"UPLOADED": 1, "COLUMN_MAPPING": 1, "CELL_MAPPING": 0, "PROCESSING": 1, "COMPLETED": 3, "FAILED": 1, "CANCELLED": 1, "": 8,
	} {
		require.Equal(t, want, b.count(t, "/api/imports?status="+status), status)
	}
	b.do(t, get("/v1/imports?status=FAILED")).refused(400, problem.ParameterInvalid)
	b.do(t, get("/api/imports?status=failed")).refused(400, problem.ParameterInvalid)
}

func TestBatchesAreNarrowedByStatus(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, status := range []job.Status{"", job.Failed, job.Cancelled, job.Cancelled} {
		id := decode[fields](b.uploadOrders(t, "ann", orders+string(status), nil), http.StatusAccepted)["jobIdentifier"].(string)
		if status != "" {
			b.move(t, id, status)
		}
	}
	for status, want := range map[string]int{"PROCESSING": 1, "COMPLETED": 0, "FAILED": 3, "": 4} {
		require.Equal(t, want, b.count(t, "/api/orders/bulk-uploads?status="+status), status)
		require.Equal(t, want, b.count(t, "/api/orders/bulk-uploads?uploader=ann&status="+status), status)
	}
	b.do(t, get("/api/orders/bulk-uploads?status=CANCELLED")).refused(400, problem.ParameterInvalid)
}
