package databasewait

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb"
	"github.com/loadbay/loadbay/shared/job"
)

// A job waits from the first attempt that met no database until it makes progress or is attempted no
// more. Another outage is another wait.
func TestWaitBeginsWithFirstAttempt(t *testing.T) {
	t.Parallel()
	db, err := awsendpoint.OpenDatabase(filepath.Join(t.TempDir(), "aws.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	service, err := local.New(db, []blueprint.Table{{Name: "coordination", PartitionKey: "pk", SortKey: "sk", TTLAttr: "expires_at"}})
	require.NoError(t, err)
	t.Cleanup(service.Close)
	handler, err := awsendpoint.Handler(awsendpoint.Config{Services: []awsjson.Service{service}})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	table := New(dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("local", "locallocal", ""),
	}), Settings{Table: "coordination"}, slog.New(slog.NewTextHandler(t.Output(), nil)))
	begin := time.Now().UTC().Truncate(time.Second)
	now := begin
	table.now = func() time.Time { return now }

	ref := job.Ref{JobID: "01a1f9e7-1bde-7bf8-ac8c-500f93581dd4", OrganisationID: 7}
	var failure error
	step := Watch(table, func(context.Context, job.Ref) (string, error) { return "next", failure })
	attempt := func(after time.Duration, because error) {
		t.Helper()
		now, failure = now.Add(after), because
		next, err := step(t.Context(), ref)
		require.Equal(t, "next", next)
		require.Equal(t, because, err)
	}
	since := func(progress time.Time) *time.Time {
		t.Helper()
		at, err := table.Since(t.Context(), ref.JobID, progress)
		require.NoError(t, err)
		return at
	}
	away := &pgconn.PgError{Code: "57P03"}
	attempt(0, nil)
	attempt(0, errors.New("a bug"))
	require.Nil(t, since(begin))
	attempt(0, away)
	attempt(time.Minute, away)
	attempt(time.Minute, away)
	require.Equal(t, begin, *since(begin.Add(-time.Minute)))
	require.Nil(t, since(now.Add(time.Second)), "the job has made progress")
	now = now.Add(attemptPause + time.Minute)
	require.Nil(t, since(begin), "there are no further attempts")
	attempt(time.Minute, away)
	require.Equal(t, now, *since(begin))
}
