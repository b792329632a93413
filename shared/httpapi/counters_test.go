package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"
)

// The counters of a result import are available during and after the import.
func TestResultCounters(t *testing.T) {
	t.Parallel()
	b := setupEvents(t)
	body, kind := form(t, part{"file", "results.csv", "Pos,Race no\n1,7\n"})
	id := decode[fields](b.do(t, request{method: "PUT", path: "/api/result-sets/import-bulk?eventId=31", body: body, contentType: kind}), http.StatusAccepted)["identifier"].(string)
	counted := func(result string) []any {
		t.Helper()
		if result != "" {
			b.inTx(t, func(tx pgx.Tx) error { return b.DB.SaveResult(t.Context(), tx, b.job(t, 1, id).Key, []byte(result)) })
		}
		j := decode[fields](b.do(t, get("/api/imports/"+id)), http.StatusOK)
		return []any{j["issueCount"], j["numberChangeCount"]}
	}
	require.Equal(t, []any{nil, nil}, counted(""))
	require.Equal(t, []any{nil, 3.0}, counted(`{"categories":[],"numberChanges":{"listed":[],"count":3,"simple":1}}`))
	require.Equal(t, []any{2.0, 4.0}, counted(`{"summary":{"issueCount":2,"numberChangeCount":4},"numberChanges":[]}`))
}
