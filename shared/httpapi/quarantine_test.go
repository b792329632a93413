package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

const (
	quarantined   = "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4"
	quarantineKey = "drop-quarantine/1/USER/-/users.csv"
)

// quarantineFile puts a file of organisation 1 into quarantine.
func (b *bundle) quarantineFile(t *testing.T) {
	t.Helper()
	b.objects.stored[quarantineKey], b.objects.stored[quarantineKey+".reason.json"] = users, "{}"
	b.inTx(t, func(tx pgx.Tx) error {
		return b.DB.AddQuarantined(t.Context(), tx, &job.Quarantined{
			ID: quarantined, OrganisationID: 1, ObjectKey: "drop/1/USER/-/users.csv", QuarantineKey: quarantineKey, SizeBytes: 10,
			Code: "OPTION_INVALID", Message: "Not like this.", Errors: []byte(`[{"field":"mode","code":"MODE_INVALID","message":"One of insert, upsert."}]`),
		})
	})
}

func TestListAndDeleteQuarantined(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.quarantineFile(t)
	listed := decode[[]fields](b.do(t, get("/api/drop/quarantine")), http.StatusOK)
	require.Len(t, listed, 1)
	require.Equal(t, "users.csv", listed[0]["filename"])
	require.Equal(t, "OPTION_INVALID", listed[0]["code"])
	require.Equal(t, "mode", listed[0]["errors"].([]any)[0].(fields)["field"])
	other := map[string]string{"organisation_id": "2"}
	require.Empty(t, decode[[]fields](b.do(t, request{method: "GET", path: "/api/drop/quarantine", claims: other}), http.StatusOK))

	path := "/api/drop/quarantine/" + quarantined
	b.do(t, request{method: "DELETE", path: path, claims: other}).requireProblem(404, problem.NotFound)
	b.do(t, request{method: "DELETE", path: path, claims: map[string]string{"scope": "imports:read"}}).requireProblem(403, problem.ScopeRequired)
	require.Equal(t, http.StatusNoContent, b.do(t, request{method: "DELETE", path: path}).Code)
	require.Empty(t, b.objects.stored)
	b.do(t, request{method: "DELETE", path: path}).requireProblem(404, problem.NotFound)
}

func TestRetryQuarantinedFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.quarantineFile(t)
	retry := request{method: "POST", path: "/api/drop/quarantine/" + quarantined + "/retry"}
	b.objects.stored["drop/1/USER/-/users.csv"] = "another"
	b.do(t, retry).requireProblem(409, problem.StateConflict)
	require.Equal(t, "another", b.objects.stored["drop/1/USER/-/users.csv"], "the dropped file stays, as an import may be reading it")
	delete(b.objects.stored, "drop/1/USER/-/users.csv")
	require.Equal(t, http.StatusAccepted, b.do(t, retry).Code)
	require.Equal(t, map[string]string{"drop/1/USER/-/users.csv": users}, b.objects.stored)
	b.do(t, retry).requireProblem(404, problem.NotFound)

	b.quarantineFile(t)
	b.objects.stored = map[string]string{}
	b.do(t, retry).requireProblem(410, problem.Gone)
}
