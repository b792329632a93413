package conformance

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/credentials"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/asl"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
	"github.com/loadbay/loadbay/infra/local/lambdahost/sqssource"
	"github.com/loadbay/loadbay/infra/statemachine"
	"github.com/loadbay/loadbay/shared/aws/lambdafn"
	"github.com/loadbay/loadbay/shared/aws/queue"
	"github.com/loadbay/loadbay/shared/job"
)

// inProcess sends requests to a handler without a network, which fake time does not wait for.
type inProcess struct{ http.Handler }

func (h inProcess) Do(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Result(), nil
}

// Messages of the queues that postpone them are retried for at least ten minutes while the database or
// a service is away, and reach the dead letters within one minute with any other error.
func TestRetriesDependOnError(t *testing.T) {
	t.Parallel()
	b := blueprint.New()
	for _, name := range []string{blueprint.RowsQueue, blueprint.ExportsQueue, blueprint.FetchesQueue, blueprint.ObjectsQueue} {
		for cause, c := range map[string]struct {
			err         error
			least, most time.Duration
		}{
			"the database restarts":   {&pgconn.PgError{Code: "57P01"}, 10 * time.Minute, time.Hour},
			"too many connections":    {&pgconn.PgError{Code: "53300"}, 10 * time.Minute, time.Hour},
			"a permission is missing": {&pgconn.PgError{Code: "42501"}, 10 * time.Second, time.Minute},
			"a bug":                   {errors.New("index out of range"), 10 * time.Second, time.Minute},
		} {
			t.Run(name+": "+cause, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					config, _ := b.Queue(name)
					deliveries, took := failUntilDeadLettered(t, config, c.err)
					require.Equal(t, config.MaxReceive, deliveries)
					require.GreaterOrEqual(t, took, c.least)
					require.LessOrEqual(t, took, c.most)
				})
			})
		}
	}
}

// failUntilDeadLettered sends a message to a queue whose function always fails with an error, and
// returns how often and how long it was delivered.
func failUntilDeadLettered(t *testing.T, config blueprint.Queue, cause error) (deliveries int, took time.Duration) {
	t.Helper()
	db, err := awsendpoint.OpenDatabase(filepath.Join(t.TempDir(), "aws.db"))
	require.NoError(t, err)
	defer db.Close()
	service, err := sqs.New(db, blueprint.New().Queues)
	require.NoError(t, err)
	defer service.Close()
	handler, err := awsendpoint.Handler(awsendpoint.Config{Services: []awsjson.Service{service}})
	require.NoError(t, err)
	endpoint := "http://endpoint"
	client := awssqs.New(awssqs.Options{
		Region: "us-east-1", BaseEndpoint: &endpoint, HTTPClient: inProcess{handler}, Credentials: credentials.NewStaticCredentialsProvider("local", "locallocal", ""),
	})
	q := queue.New(client, endpoint+"/"+awsendpoint.Account+"/"+config.Name)
	log := slog.New(slog.DiscardHandler)
	function := lambdafn.RouteByQueue(log, lambdafn.Source{Queue: q, Handle: lambdafn.ForEachMessage(log, "message", func(context.Context, job.Ref) error {
		deliveries++
		return cause
	})})
	mapping, err := sqssource.New(sqssource.Config{Queue: config.Name, Function: "function", BatchSize: 1, Concurrency: 1, Queues: service, Invoker: invoker(function), Logger: log})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { mapping.Run(ctx); close(done) }()
	defer func() { stop(); <-done }()

	began := time.Now()
	_, err = service.Send(config.Name, `{"jobId":"01a1f9e7-1bde-7bf8-ac8c-500f93581dd4","organisationId":7}`)
	require.NoError(t, err)
	dead, err := service.Receive(ctx, config.DeadLetter, 1, time.Minute, time.Hour)
	require.NoError(t, err)
	require.Len(t, dead, 1)
	return deliveries, time.Since(began)
}

// invoker is a function that handles messages.
type invoker lambdafn.Messages

func (f invoker) InvokeWhenFree(ctx context.Context, _ string, payload []byte) ([]byte, string, error) {
	var e events.SQSEvent
	if err := json.Unmarshal(payload, &e); err != nil {
		return nil, "", err
	}
	response, err := f(ctx, e)
	if err != nil {
		return nil, "", err
	}
	output, err := json.Marshal(response)
	return output, "", err
}

// Each step of the workflow is retried for ten minutes while the database or a service is away, with
// four standard deviations of the random delays to spare, and within one minute after an unexpected end.
func TestStepsAreRetriedLikeMessages(t *testing.T) {
	t.Parallel()
	m, err := asl.Parse([]byte(statemachine.Import))
	require.NoError(t, err)
	tasks := 0
	for name, state := range m.States {
		task, ok := state.Action.(*asl.Task)
		if !ok || task.Function == "${fail}" { // which is retried after any error
			continue
		}
		tasks++
		retrier := func(failure string) asl.Retrier {
			i := slices.IndexFunc(task.Retry, func(r asl.Retrier) bool { return r.ErrorEquals.Match(failure) })
			require.GreaterOrEqual(t, i, 0, "%s: %s", name, failure)
			return task.Retry[i]
		}
		for _, failure := range []string{"Transient", "Lambda.TooManyRequestsException", "Lambda.ServiceException"} {
			var mean, variance float64 // of delays that are uniform from 0 to the longest
			for n, r := 0, retrier(failure); n < r.MaxAttempts; n++ {
				longest := r.Delay(n, 1).Seconds()
				mean += longest / 2
				variance += longest * longest / 12
			}
			require.Greater(t, mean-4*math.Sqrt(variance), (10 * time.Minute).Seconds(), "%s: %s", name, failure)
		}
		var most time.Duration
		for n, r := 0, retrier("Lambda.Unknown"); n < r.MaxAttempts; n++ {
			most += r.Delay(n, 1)
		}
		require.LessOrEqual(t, most, time.Minute, name)
	}
	require.Greater(t, tasks, 8)
}
