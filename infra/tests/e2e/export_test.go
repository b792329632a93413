package e2e

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/tests/rawclient"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestExports exports more than one part of a multipart upload, and more than a
// response of the API can contain, and imports both files again.
func TestExports(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	const rows = 50_001
	var users strings.Builder
	users.WriteString("email,name\n")
	for i := range rows {
		fmt.Fprintf(&users, "u%d@example.org,%s %d\n", i, strings.Repeat("=x", 80), i)
	}
	require.Equal(t, int64(rows), r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "u.csv", AutoStart: true}, users.String()).SuccessCount)

	for _, format := range []string{"csv", "ndjson", "xlsx"} {
		e, file, err := r.Export(ctx, rawclient.ExportRequest{Resource: "users", Format: format}, 20*time.Millisecond)
		require.NoError(t, err)
		require.EqualValues(t, rows, e.RecordCount)
		records, streamed, err := r.Stream(ctx, "users", format)
		require.NoError(t, err)
		require.EqualValues(t, rows, records)
		require.Equal(t, string(file), string(streamed))
		again := r.uploadAndWait(ctx, t, rawclient.CreateRequest{ImportType: "USER", Filename: "users." + format, Mode: "upsert", AutoStart: true}, string(streamed))
		require.Equal(t, "COMPLETED", again.Status)
		require.Equal(t, int64(rows), again.SuccessCount)
		require.Equal(t, int64(rows), stacktest.Query[int64](t, r.Stack, `SELECT count(*) FROM users WHERE name ~ '^(=x){80} [0-9]+$'`))
	}

	var line struct{ Email string }
	query := url.Values{"resource": {"users"}, "fields": {"email"}, "format": {"ndjson"}, "filters": {`{"email":"u7@example.org"}`}}
	require.NoError(t, r.Get(ctx, "/v1/exports?"+query.Encode(), &line))
	require.Equal(t, "u7@example.org", line.Email)
	var none json.RawMessage
	require.ErrorContains(t, r.Get(ctx, "/v1/exports?resource=users&format=pdf", &none), "PARAMETER_INVALID")
}
