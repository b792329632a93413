package e2e

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// A file with obviously too many errors fails with these errors, writes nothing, and its
// execution ends; if the errors only appear while rows are written, the written rows stay.
func TestErrorLimitStopsImport(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), maxWait)
	defer cancel()
	r := start(t)
	limited := func(file string) rawclient.Job {
		t.Helper()
		var made rawclient.Job
		fields := map[string]string{"importType": "USER", "autoStart": "true", "maxErrors": "20%"}
		require.NoError(t, r.PostForm(ctx, http.MethodPost, "/api/imports", "users.csv", []byte(file), fields, &made))
		j, err := r.Wait(ctx, made.Identifier, 20*time.Millisecond, nil, (*rawclient.Job).Ended)
		require.NoError(t, err)
		require.Equal(t, "FAILED", j.Status)
		require.Equal(t, "TOO_MANY_ERRORS", stacktest.Query[string](t, r.Stack, `SELECT failure_code FROM import_jobs WHERE uuid = $1`, j.Identifier))
		return *j
	}
	wrong := limited("email,name\na@example.org,Ada\nnobody,Ben\n,Cid\n")
	require.Zero(t, stacktest.Query[int](t, r.Stack, `SELECT count(*) FROM users WHERE email LIKE '%@example.org'`))
	require.Equal(t, 2, stacktest.Query[int](t, r.Stack, `SELECT error_count::int FROM import_jobs WHERE uuid = $1`, wrong.Identifier))

	twice := limited("email,name\nb@example.org,Ada\nb@example.org,Ben\nb@example.org,Cid\n")
	require.Equal(t, 1, stacktest.Query[int](t, r.Stack, `SELECT count(*) FROM users WHERE email LIKE '%@example.org'`))
	require.Equal(t, 2, stacktest.Query[int](t, r.Stack, `SELECT error_count::int FROM import_jobs WHERE uuid = $1`, twice.Identifier))
	r.Await(t, "both executions have ended", func() bool {
		r.reconcile(ctx, t)
		return stacktest.Query[int](t, r.Stack, `SELECT count(*) FROM import_jobs WHERE status = 'FAILED' AND reconciled_at >= completed_at`) == 2
	})
}
