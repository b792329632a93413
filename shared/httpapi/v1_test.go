package httpapi_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
)

func (b *bundle) createV1(t *testing.T, headers map[string]string, parts ...part) apiResponse {
	t.Helper()
	body, contentType := form(t, parts...)
	return b.do(t, request{method: "POST", path: "/v1/imports", body: body, contentType: contentType, headers: headers})
}

func TestCreateV1(t *testing.T) {
	t.Parallel()
	b := setup(t)
	parts := []part{{"file", "users.csv", users}, {"resource_type", "", "users"}, {"mode", "", "upsert"}}

	a := b.createV1(t, key("import-users-2026-01-28-abc"), parts...)

	doc := decode[fields](a, http.StatusAccepted)
	id := doc["job_id"].(string)
	require.Equal(t, "/v1/imports/"+id, a.Header().Get("Location"))
	want := fields{
		"resource_type": "users", "mode": "upsert", "status": "pending",
		"total_records": 0.0, "processed_records": 0.0, "successful_records": 0.0, "error_records": 0.0,
	}
	for name, want := range want {
		require.Equal(t, want, doc[name], name)
	}
	require.NotContains(t, doc, "started_at")
	require.True(t, b.job(t, 1, id).AutoStart)
	again := decode[fields](b.createV1(t, key("import-users-2026-01-28-abc"), parts...), http.StatusOK)
	require.Equal(t, id, again["job_id"])
}

func TestCreateV1RejectsInvalidRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	file, resource := part{"file", "users.csv", users}, part{"resource_type", "", "users"}
	for name, c := range map[string]struct {
		parts  []part
		status int
		code   problem.Code
	}{
		"no resource":          {[]part{file}, 400, problem.ImportTypeUnknown},
		"unknown resource":     {[]part{file, {"resource_type", "", "USER"}}, 400, problem.ImportTypeUnknown},
		"unknown mode":         {[]part{file, resource, {"mode", "", "merge"}}, 400, problem.ModeInvalid},
		"no file":              {[]part{resource}, 400, problem.ParameterInvalid},
		"unknown encoding":     {[]part{file, resource, {"options", "", `{"encoding":"klingon"}`}}, 400, problem.OptionInvalid},
		"camel-case parameter": {[]part{file, resource, {"contextId", "", "11"}}, 400, problem.ParameterInvalid},
		"context missing":      {[]part{file, {"resource_type", "", "memberships"}}, 422, problem.ContextInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b.createV1(t, nil, c.parts...).requireProblem(c.status, c.code)
		})
	}
	t.Run("file without a form", func(t *testing.T) {
		t.Parallel()
		b.do(t, request{method: "POST", path: "/v1/imports", contentType: "text/csv", body: users}).requireProblem(415, problem.MediaTypeInvalid)
	})
}

// The /v1 status is derived from the status of the job.
func TestStatusV1(t *testing.T) {
	t.Parallel()
	b := setup(t)
	status := func(id string) any { return decode[fields](b.do(t, get("/v1/imports/"+id)), http.StatusOK)["status"] }
	create := func() string {
		return decode[fields](b.createV1(t, nil, part{"file", "users.csv", users}, part{"resource_type", "", "users"}), http.StatusAccepted)["job_id"].(string)
	}
	waiting := create()
	b.setStatus(t, waiting, job.ColumnMapping)
	require.Equal(t, "pending", status(waiting))
	running := create()
	b.processRows(t, running, "CE")
	require.Equal(t, "processing", status(running))
	b.setStatus(t, running, job.Completed)
	require.Equal(t, "completed_with_errors", status(running))
	clean := create()
	b.finishJob(t, clean, "CUS")
	require.Equal(t, "completed", status(clean))
	b.setStatus(t, waiting, job.Cancelled)
	require.Equal(t, "cancelled", status(waiting))
}
