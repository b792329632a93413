package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
)

// Announced uploads, forms, /v1 and fetched files all create a batch.
func TestOrdersGetBatchFromEveryEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ann := map[string]string{"sub": "ann"}
	in := func(path string, parts ...part) apiResponse {
		body, contentType := form(t, append(parts, part{"file", "orders.csv", orders})...)
		return b.do(t, request{method: "POST", path: path, body: body, contentType: contentType, claims: ann})
	}
	announced := b.announceUsers(t, nil, fields{"importType": "ORDER", "filename": "orders.csv"})
	id := decode[fields](announced, http.StatusCreated)["identifier"].(string)
	ids := []string{
		id,
		decode[fields](in("/api/imports", part{"importType", "", "ORDER"}), http.StatusCreated)["identifier"].(string),
		decode[fields](in("/v1/imports", part{"resource_type", "", "orders"}), http.StatusAccepted)["job_id"].(string),
		decode[fields](b.importFromURL(t, "k", `{"resource_type": "orders", "url": "https://files.example/orders.csv"}`), http.StatusAccepted)["job_id"].(string),
	}
	for i, id := range ids {
		number := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)["batchId"]
		require.Regexp(t, `^BU20\d{6}000`+string(rune('1'+i))+`$`, number)
		batch := decode[fields](b.do(t, get("/api/orders/bulk-uploads/"+number.(string))), http.StatusOK)
		require.Equal(t, id, batch["jobIdentifier"])
		require.Equal(t, "PROCESSING", batch["status"])
		require.Equal(t, i == 1 || i == 2, batch["fileChecksum"] != nil, "the checksum is known only if the request contained the file")
		require.Equal(t, map[bool]string{true: "ann", false: "tester"}[i == 1 || i == 2], batch["uploader"])
	}
	again := b.uploadOrders(t, "ben", orders, nil)
	require.Equal(t, ids[2], decode[fields](again, http.StatusOK)["jobIdentifier"], "the file already belongs to a batch")
}

// A dry run creates no batch because it has no effect.
func TestDryRunOfOrdersHasNoBatch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body, contentType := form(t, part{"importType", "", "ORDER"}, part{"dryRun", "", "true"}, part{"file", "orders.csv", orders})
	doc := decode[fields](b.do(t, request{method: "POST", path: "/api/imports", body: body, contentType: contentType}), http.StatusCreated)
	require.Contains(t, doc, "batchId")
	require.Nil(t, doc["batchId"])
	require.Empty(t, decode[[]fields](b.do(t, get("/api/orders/bulk-uploads")), http.StatusOK))
	require.Regexp(t, `0001$`, decode[fields](b.uploadOrders(t, "ann", orders, nil), http.StatusAccepted)["batchId"])
}
