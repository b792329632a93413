package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// A caller of one endpoint learns what was noticed in the file without asking at another one.
func TestWarningsReachEveryEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, contentType := form(t, part{"resource_type", "", "orders"}, part{"file", "orders.csv", orders})
	id := decode[fields](b.do(t, request{method: "POST", path: "/v1/imports", body: body, contentType: contentType}), http.StatusAccepted)["job_id"].(string)
	b.Exec(t, `UPDATE import_jobs SET warnings = ARRAY['COLUMN_UNUSED: COD charges: 2 values', 'DECIMAL_MARK_UNCERTAIN: totalWeight']`)

	job := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
	require.Len(t, job["warnings"], 2)
	require.Contains(t, job["warningTexts"].([]any)[0], "COD charges")

	v1 := decode[fields](b.do(t, get("/v1/imports/"+id)), http.StatusOK)
	require.Equal(t, job["warnings"], v1["warnings"])
	require.Equal(t, job["warningTexts"], v1["warning_texts"])

	batch := decode[fields](b.do(t, get("/api/orders/bulk-uploads/"+job["batchId"].(string))), http.StatusOK)
	require.Equal(t, job["warnings"], batch["warnings"])
	require.Equal(t, job["warningTexts"], batch["warningTexts"])
}
