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
	"github.com/loadbay/loadbay/shared/job/object"
)

// sampleJob is the job id in every sample.
const sampleJob = "00000000-0000-7000-8000-000000000001"

// Every function of the blueprint has a sample.
func TestEachFunctionHasSampleEvent(t *testing.T) {
	t.Parallel()
	for _, f := range blueprint.New().Functions {
		_, err := events.Sample(f.Name)
		require.NoError(t, err)
	}
	_, err := events.Sample("nobody")
	require.ErrorContains(t, err, "decode sample event of function nobody")
}

// decodeStrict fails on unknown fields.
func decodeStrict[T any](t *testing.T, content []byte) T {
	t.Helper()
	var v T
	d := json.NewDecoder(bytes.NewReader(content))
	d.DisallowUnknownFields()
	require.NoError(t, d.Decode(&v), string(content))
	return v
}

func readSample[T any](t *testing.T, function string) T {
	t.Helper()
	content, err := events.Sample(function)
	require.NoError(t, err)
	return decodeStrict[T](t, content)
}

type jobRef struct {
	JobID          string `json:"jobId"`
	OrganisationID int64  `json:"organisationId"`
}

func TestStateEventsHoldJobIDs(t *testing.T) {
	t.Parallel()
	for _, function := range []string{"analyze", "resolve", "split"} {
		versioned := readSample[struct {
			jobRef
			Machine int
		}](t, function)
		require.Equal(t, jobRef{sampleJob, 1}, versioned.jobRef)
		require.Equal(t, job.SlotMachineVersion, versioned.Machine)
	}
	for _, function := range []string{"wholefile", "complete"} {
		require.Equal(t, jobRef{sampleJob, 1}, readSample[jobRef](t, function), function)
	}
	failed := readSample[struct {
		jobRef
		Error, Cause string
	}](t, "fail")
	require.Equal(t, jobRef{sampleJob, 1}, failed.jobRef)
	require.NotEmpty(t, failed.Error)
	require.NotEmpty(t, failed.Cause)
	waiting := readSample[struct {
		jobRef
		Phase     string
		TaskToken string
	}](t, "await")
	require.Equal(t, jobRef{sampleJob, 1}, waiting.jobRef)
	require.Contains(t, []string{"COLUMN_MAPPING", "CELL_MAPPING", "ROWS"}, waiting.Phase)
	require.NotEmpty(t, waiting.TaskToken)
}

// messageBody returns the body of the single message that a queue sends in a function's sample.
func messageBody(t *testing.T, function, queue string) []byte {
	t.Helper()
	e := readSample[lambdaevents.SQSEvent](t, function)
	require.Len(t, e.Records, 1)
	m := e.Records[0]
	require.Equal(t, blueprint.LocalDeployment().QueueARN(queue), m.EventSourceARN)
	sum := md5.Sum([]byte(m.Body))
	require.Equal(t, hex.EncodeToString(sum[:]), m.Md5OfBody)
	return []byte(m.Body)
}

func TestChunkQueueMessages(t *testing.T) {
	t.Parallel()
	for function, queue := range map[string]string{"process": blueprint.RowsQueue, "deadletter": blueprint.RowsDeadLetters} {
		body := messageBody(t, function, queue)
		chunk := decodeStrict[struct {
			jobRef
			Chunk int
		}](t, body)
		require.Equal(t, jobRef{sampleJob, 1}, chunk.jobRef)
	}
}

func TestExportQueueMessage(t *testing.T) {
	t.Parallel()
	body := messageBody(t, "export", blueprint.ExportsQueue)
	export := decodeStrict[struct {
		ExportID       string `json:"exportId"`
		OrganisationID int64  `json:"organisationId"`
	}](t, body)
	require.NotEmpty(t, export.ExportID)
	require.EqualValues(t, 1, export.OrganisationID)
}

func TestErasureEventNamesPerson(t *testing.T) {
	t.Parallel()
	require.True(t, readSample[job.ErasureRef](t, "erase").Valid())
}

func TestObjectQueueMessage(t *testing.T) {
	t.Parallel()
	e := decodeStrict[object.Event](t, messageBody(t, "drop", blueprint.ObjectsQueue))
	require.Equal(t, blueprint.UploadsPrefix+"1/"+sampleJob+"/source", e.Key)
	require.NotZero(t, e.At)
}

func TestFetchQueueMessage(t *testing.T) {
	t.Parallel()
	body := messageBody(t, "fetch", blueprint.FetchesQueue)
	require.Equal(t, jobRef{sampleJob, 1}, decodeStrict[jobRef](t, body))
}

func TestLedgerEventNamesOperation(t *testing.T) {
	t.Parallel()
	r := readSample[struct {
		Do  string
		Job jobRef
	}](t, "ledger")
	require.Equal(t, "fetch.begin", r.Do)
	require.Equal(t, jobRef{sampleJob, 1}, r.Job)
}

func TestWebhookQueueMessage(t *testing.T) {
	t.Parallel()
	body := messageBody(t, "notify", blueprint.WebhooksQueue)
	event := decodeStrict[lambdaevents.EventBridgeEvent](t, body)
	require.Equal(t, "loadbay", event.Source)
	require.Equal(t, "Import Completed", event.DetailType)
	detail := decodeStrict[job.Event](t, event.Detail)
	require.Equal(t, jobRef{sampleJob, 1}, jobRef{string(detail.JobID), int64(detail.OrganisationID)})
	require.Equal(t, job.Completed, detail.Status)
}

func TestObjectCreatedEventParses(t *testing.T) {
	t.Parallel()
	e := readSample[lambdaevents.EventBridgeEvent](t, "enqueue")
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
	require.Equal(t, blueprint.LocalDeployment().Bucket(blueprint.New().Bucket.Name), detail.Bucket.Name)
	require.Equal(t, blueprint.UploadsPrefix+"1/"+sampleJob+"/source", detail.Object.Key)
	require.Positive(t, detail.Object.Size)
}

func TestScheduledEventsParse(t *testing.T) {
	t.Parallel()
	for _, s := range blueprint.New().Schedules {
		e := readSample[lambdaevents.EventBridgeEvent](t, s.Function)
		require.Equal(t, "aws.events", e.Source)
		require.Equal(t, "Scheduled Event", e.DetailType)
		require.Equal(t, []string{blueprint.LocalDeployment().RuleARN("", s.Name)}, e.Resources)
	}
}

func TestAPIRequestEventParses(t *testing.T) {
	t.Parallel()
	e := readSample[lambdaevents.APIGatewayV2HTTPRequest](t, "api")
	require.Equal(t, "2.0", e.Version)
	require.Equal(t, "GET", e.RequestContext.HTTP.Method)
	require.Equal(t, "/api/imports", e.RawPath)
	require.Equal(t, "1", e.RequestContext.Authorizer.JWT.Claims["organisation_id"])
	require.Contains(t, e.RequestContext.Authorizer.JWT.Claims["scope"], "imports:read")
}

func TestFunctionURLRequestEventParses(t *testing.T) {
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

func TestMigrateEventParses(t *testing.T) {
	t.Parallel()
	require.Equal(t, cfn.RequestCreate, readSample[cfn.Event](t, "migrate").RequestType)
}
