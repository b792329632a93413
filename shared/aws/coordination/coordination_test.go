package coordination_test

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/dynamodb"
	"github.com/loadbay/loadbay/shared/aws/coordination"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// table is a table of the local DynamoDB, with a client for direct access.
type table struct {
	*coordination.Table
	client  *dynamodb.Client
	created time.Time
	elapsed time.Duration // elapsed fake time
}

const (
	tableName   = "coordination"
	keyLifetime = 24 * time.Hour
)

func setup(t *testing.T) *table {
	t.Helper()
	db, err := awsendpoint.OpenDatabase(filepath.Join(t.TempDir(), "aws.db"))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	service, err := local.New(db, []blueprint.Table{{Name: tableName, PartitionKey: "pk", SortKey: "sk", TTLAttr: "expires_at"}})
	require.NoError(t, err)
	t.Cleanup(service.Close)
	handler, err := awsendpoint.Handler(awsendpoint.Config{Services: []awsjson.Service{service}})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client := dynamodb.New(dynamodb.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL, Credentials: credentials.NewStaticCredentialsProvider("local", "locallocal", ""),
	})
	s := &table{client: client, created: time.Now()}
	s.Table = coordination.New(client, coordination.Settings{Table: tableName, KeyLifetime: keyLifetime}, func(context.Context) (time.Time, error) { return s.created.Add(s.elapsed), nil })
	return s
}

// keys returns the sort keys of all items.
func (s *table) keys(t *testing.T) []string {
	t.Helper()
	out, err := s.client.Scan(t.Context(), &dynamodb.ScanInput{TableName: aws.String(tableName)})
	require.NoError(t, err)
	keys := make([]string, len(out.Items))
	for i, item := range out.Items {
		keys[i] = item["pk"].(*types.AttributeValueMemberS).Value + " " + item["sk"].(*types.AttributeValueMemberS).Value
	}
	return keys
}

func TestDeleteJobsLeavesOtherItems(t *testing.T) {
	t.Parallel()
	s := setup(t)
	for _, id := range []job.ID{"a", "b", "other"} {
		for _, phase := range []job.Phase{job.PhaseColumns, job.PhaseRows} {
			require.NoError(t, s.SaveToken(t.Context(), id, phase, "token"))
		}
	}
	for organisation, jobs := range map[tenant.ID][]string{1: {"a", "b", "other"}, 2: {"a"}} {
		for _, id := range jobs {
			_, err := s.Claim(t.Context(), organisation, "key of "+id, "print", id)
			require.NoError(t, err)
		}
	}
	for range 2 { // the second time nothing is left
		require.NoError(t, s.DeleteJobs(t.Context(), 1, []job.ID{"a", "b", "never heard of"}))
		require.ElementsMatch(t, []string{
			"job#other token#COLUMN_MAPPING", "job#other token#ROWS",
			"organisation#1 idempotency#key of other", "organisation#2 idempotency#key of a",
		}, s.keys(t))
	}
}

// The key of a deleted job can create another job.
func TestDeletedKeyIsReusable(t *testing.T) {
	t.Parallel()
	s := setup(t)
	_, err := s.Claim(t.Context(), 1, "key", "print", "a")
	require.NoError(t, err)
	_, err = s.Claim(t.Context(), 1, "key", "another print", "b")
	require.Equal(t, problem.IdempotencyMismatch, problem.CodeOf(err))
	require.NoError(t, s.DeleteJobs(t.Context(), 1, []job.ID{"a"}))
	claim, err := s.Claim(t.Context(), 1, "key", "another print", "b")
	require.NoError(t, err)
	require.Equal(t, "b", claim.ID)
}

func TestHealthIsRememberedForAllInstances(t *testing.T) {
	t.Parallel()
	s := setup(t)
	at, err := s.LastHealthy(t.Context(), "database")
	require.NoError(t, err)
	require.Zero(t, at)
	require.NoError(t, s.SaveHealthy(t.Context(), "database", s.created))
	at, err = s.LastHealthy(t.Context(), "database")
	require.NoError(t, err)
	require.Equal(t, s.created.Unix(), at.Unix())
	require.NoError(t, s.ForgetHealthy(t.Context(), "database"))
	at, err = s.LastHealthy(t.Context(), "database")
	require.NoError(t, err)
	require.Zero(t, at)
}
