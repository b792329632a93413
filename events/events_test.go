package events_test

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"testing"

	"github.com/aws/aws-lambda-go/cfn"
	lambdaevents "github.com/aws/aws-lambda-go/events"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/events"
	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/shared/job"
)

// sampleJob is the job of every sample.
const sampleJob = "00000000-0000-7000-8000-000000000001"

// Every function of the blueprint has a sample.
func TestEveryFunctionHasASample(t *testing.T) {
	t.Parallel()
	for _, f := range blueprint.New().Functions {
		_, err := events.Sample(f.Name)
		require.NoError(t, err)
	}
	_, err := events.Sample("nobody")
	require.ErrorContains(t, err, "sample event of function nobody")
}

// decode fails on anything that the type does not know.
func decode[T any](t *testing.T, content []byte) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&v), string(content))
	return v
}

func sample[T any](t *testing.T, function string) T {
	t.Helper()
	content, err := events.Sample(function)
	require.NoError(t, err)
	return decode[T](t, content)
}

type ref struct {
	JobID          string `json:"jobId"`
	OrganisationID int64  `json:"organisationId"`
}

func TestStatesGetTheIdsOfTheJob(t *testing.T) {
	t.Parallel()
	first := sample[struct {
		ref
		Machine int
	}](t, "analyze")
	require.Equal(t, ref{sampleJob, 1}, first.ref)
	require.Equal(t, job.ReadsAgain, first.Machine)
	for _, function := range []string{"resolve", "split", "wholefile", "complete"} {
		require.Equal(t, ref{sampleJob, 1}, sample[ref](t, function), function)
	}
	failed := sample[struct {
		ref
		Error, Cause string
	}](t, "fail")
	require.Equal(t, ref{sampleJob, 1}, failed.ref)
	require.NotEmpty(t, failed.Error)
	require.NotEmpty(t, failed.Cause)
	waiting := sample[struct {
		ref
		Phase     string
		TaskToken string
	}](t, "await")
	require.Equal(t, ref{sampleJob, 1}, waiting.ref)
	require.Contains(t, []string{"COLUMN_MAPPING", "CELL_MAPPING", "ROWS"}, waiting.Phase)
	require.NotEmpty(t, waiting.TaskToken)
}

// message returns the body of the one message that a queue brings in the sample of a function.
func message(t *testing.T, function, queue string) []byte {
	t.Helper()
	e := sample[lambdaevents.SQSEvent](t, function)
	require.Len(t, e.Records, 1)
	m := e.Records[0]
	require.Equal(t, blueprint.LocalPlace().QueueARN(queue), m.EventSourceARN)
	sum := md5.Sum([]byte(m.Body))
	require.Equal(t, hex.EncodeToString(sum[:]), m.Md5OfBody)
	return []byte(m.Body)
}

func TestQueuesBringPointersToChunks(t *testing.T) {
	t.Parallel()
	for function, queue := range map[string]string{"process": blueprint.RowsQueue, "deadletter": blueprint.RowsDeadLetters} {
		body := message(t, function, queue)
		chunk := decode[struct {
			ref
			Chunk int
		}](t, body)
		require.Equal(t, ref{sampleJob, 1}, chunk.ref)
	}
}

func TestTheQueueOfExportsBringsTheirIds(t *testing.T) {
	t.Parallel()
	body := message(t, "export", blueprint.ExportsQueue)
	export := decode[struct {
		ExportID       string `json:"exportId"`
		OrganisationID int64  `json:"organisationId"`
	}](t, body)
	require.NotEmpty(t, export.ExportID)
	require.EqualValues(t, 1, export.OrganisationID)
}

func TestTheQueueOfErasuresBringsPersons(t *testing.T) {
	t.Parallel()
	body := message(t, "erase", blueprint.ErasuresQueue)
	require.True(t, decode[job.ErasureRef](t, body).Valid())
}

func TestTheQueueOfFetchesBringsJobs(t *testing.T) {
	t.Parallel()
	body := message(t, "fetch", blueprint.FetchesQueue)
	require.Equal(t, ref{sampleJob, 1}, decode[ref](t, body))
}

func TestTheLedgerIsAskedForSomething(t *testing.T) {
	t.Parallel()
	r := sample[struct {
		Do  string
		Job ref
	}](t, "ledger")
	require.Equal(t, "fetch.begin", r.Do)
	require.Equal(t, ref{sampleJob, 1}, r.Job)
}

func TestTheQueueOfWebhooksBringsEvents(t *testing.T) {
	t.Parallel()
	body := message(t, "notify", blueprint.WebhooksQueue)
	event := decode[lambdaevents.EventBridgeEvent](t, body)
	require.Equal(t, "loadbay", event.Source)
	require.Equal(t, "Import Completed", event.DetailType)
	detail := decode[job.Event](t, event.Detail)
	require.Equal(t, ref{sampleJob, 1}, ref{string(detail.JobID), int64(detail.OrganisationID)})
	require.Equal(t, job.Completed, detail.Status)
}

func TestObjectCreated(t *testing.T) {
	t.Parallel()
	e := sample[lambdaevents.EventBridgeEvent](t, "drop")
	require.Equal(t, "aws.s3", e.Source)
	require.Equal(t, "Object Created", e.DetailType)
	var detail struct {
		Bucket struct{ Name string }
		Object struct {
			Key  string
			Size int64
		}
	}
	require.NoError(t, json.Unmarshal(e.Detail, &detail))
	require.Equal(t, blueprint.LocalPlace().Bucket(blueprint.New().Bucket.Name), detail.Bucket.Name)
	require.Equal(t, blueprint.UploadsPrefix+"1/"+sampleJob+"/source", detail.Object.Key)
	require.Positive(t, detail.Object.Size)
}

func TestSchedules(t *testing.T) {
	t.Parallel()
	for _, s := range blueprint.New().Schedules {
		e := sample[lambdaevents.EventBridgeEvent](t, s.Function)
		require.Equal(t, "aws.events", e.Source)
		require.Equal(t, "Scheduled Event", e.DetailType)
		require.Equal(t, []string{blueprint.LocalPlace().RuleARN("", s.Name)}, e.Resources)
	}
}

func TestRequest(t *testing.T) {
	t.Parallel()
	e := sample[lambdaevents.APIGatewayV2HTTPRequest](t, "api")
	require.Equal(t, "2.0", e.Version)
	require.Equal(t, "GET", e.RequestContext.HTTP.Method)
	require.Equal(t, "/api/imports", e.RawPath)
	require.Equal(t, "1", e.RequestContext.Authorizer.JWT.Claims["organisation_id"])
	require.Contains(t, e.RequestContext.Authorizer.JWT.Claims["scope"], "imports:read")
}

func TestRequestOfASignedAddress(t *testing.T) {
	t.Parallel()
	content, err := events.Sample("stream")
	require.NoError(t, err)
	var e lambdaevents.LambdaFunctionURLRequest
	require.NoError(t, json.Unmarshal(content, &e))
	require.Equal(t, "2.0", e.Version)
	require.Equal(t, "GET", e.RequestContext.HTTP.Method)
	require.NotEmpty(t, e.RequestContext.Authorizer.IAM.UserARN)
	query, err := url.ParseQuery(e.RawQueryString)
	require.NoError(t, err)
	for name, value := range e.QueryStringParameters {
		require.Equal(t, value, query.Get(name))
	}
	require.Equal(t, "1", query.Get("organisation"))
	require.Equal(t, "users", query.Get("resource"))
}

func TestMigrationAsTheDeploymentAsksForIt(t *testing.T) {
	t.Parallel()
	require.Equal(t, cfn.RequestCreate, sample[cfn.Event](t, "migrate").RequestType)
}
