package conformance

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	localbus "github.com/loadbay/loadbay/infra/local/awsendpoint/eventbridge"
	localsqs "github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
	"github.com/loadbay/loadbay/shared/aws/eventbus"
	"github.com/loadbay/loadbay/shared/job"
)

// bus is a bus, with a client, that sends events of the source "loadbay" to a queue.
type bus struct {
	*eventbridge.Client
	*queues
	name string
}

func setupBus(t *testing.T) *bus {
	t.Helper()
	name := uniqueName("bus")
	if url, ok := configuredEndpoint(); ok {
		return createBus(t, url, name)
	}
	s, err := localsqs.New(openDatabase(t), []blueprint.Queue{{Name: name, Visibility: queueVisibility, Retention: queueRetention}})
	require.NoError(t, err)
	b := localbus.New(localbus.Config{
		Bus:    blueprint.EventBus{Name: name, Rules: []blueprint.EventRule{{Name: "all", Source: job.EventSource, Queue: name}}},
		Queues: s, Account: awsendpoint.Account, Region: "us-east-1",
	})
	url := startEndpoint(t, awsendpoint.Config{Services: []awsjson.Service{s, b}})
	return &bus{
		Client: eventbridge.NewFromConfig(clientConfig(url)), name: name,
		queues: &queues{Client: sqs.NewFromConfig(clientConfig(url)), name: name, url: aws.String(s.URL(name))},
	}
}

// createBus creates the same bus at another endpoint.
func createBus(t *testing.T, url, name string) *bus {
	t.Helper()
	b := &bus{Client: eventbridge.NewFromConfig(clientConfig(url)), name: name, queues: createQueues(t, url, name)}
	_, err := b.CreateEventBus(t.Context(), &eventbridge.CreateEventBusInput{Name: &name})
	require.NoError(t, err)
	_, err = b.PutRule(t.Context(), &eventbridge.PutRuleInput{Name: &name, EventBusName: &name, EventPattern: aws.String(`{"source":["` + job.EventSource + `"]}`)})
	require.NoError(t, err)
	_, err = b.PutTargets(t.Context(), &eventbridge.PutTargetsInput{
		Rule: &name, EventBusName: &name, Targets: []types.Target{{Id: aws.String("queue"), Arn: aws.String(b.attributes(t, b.url)["QueueArn"])}},
	})
	require.NoError(t, err)
	t.Cleanup(func() {
		ctx := cleanupContext(t)
		_, err := b.RemoveTargets(ctx, &eventbridge.RemoveTargetsInput{Rule: &name, EventBusName: &name, Ids: []string{"queue"}})
		require.NoError(t, err)
		_, err = b.DeleteRule(ctx, &eventbridge.DeleteRuleInput{Name: &name, EventBusName: &name})
		require.NoError(t, err)
		_, err = b.DeleteEventBus(ctx, &eventbridge.DeleteEventBusInput{Name: &name})
		require.NoError(t, err)
	})
	return b
}

// receiveEvent receives the event of one message and deletes it.
func (b *bus) receiveEvent(t *testing.T) events.EventBridgeEvent {
	t.Helper()
	received, err := b.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: b.url, MaxNumberOfMessages: 1, WaitTimeSeconds: 5})
	require.NoError(t, err)
	require.Len(t, received.Messages, 1)
	m := received.Messages[0]
	_, err = b.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: b.url, ReceiptHandle: m.ReceiptHandle})
	require.NoError(t, err)
	var e events.EventBridgeEvent
	require.NoError(t, json.Unmarshal([]byte(*m.Body), &e))
	return e
}

func TestEventsFollowRule(t *testing.T) {
	t.Parallel()
	b := setupBus(t)
	at := time.Date(2026, 11, 20, 12, 0, 1, 500_000_000, time.UTC)
	entry := func(source string) types.PutEventsRequestEntry {
		return types.PutEventsRequestEntry{
			EventBusName: &b.name, Source: &source, DetailType: aws.String("Import Completed"), Detail: aws.String(`{"eventId":"e1"}`), Time: &at,
		}
	}
	out, err := b.PutEvents(t.Context(), &eventbridge.PutEventsInput{Entries: []types.PutEventsRequestEntry{entry("other"), entry(job.EventSource)}})
	require.NoError(t, err)
	require.Zero(t, out.FailedEntryCount)
	require.Len(t, out.Entries, 2)
	e := b.receiveEvent(t)
	require.Equal(t, *out.Entries[1].EventId, e.ID)
	require.Equal(t, "Import Completed", e.DetailType)
	require.Equal(t, job.EventSource, e.Source)
	require.JSONEq(t, `{"eventId":"e1"}`, string(e.Detail))
	require.WithinDuration(t, at, e.Time, time.Second)
	require.Empty(t, b.receive(t, b.url, 0), "events that match no rule are dropped")
}

func TestRejectedEventKeepsOthers(t *testing.T) {
	t.Parallel()
	b := setupBus(t)
	entries := []types.PutEventsRequestEntry{
		{EventBusName: &b.name, Source: aws.String(job.EventSource), DetailType: aws.String("T"), Detail: aws.String(`no JSON`)},
		{EventBusName: &b.name, Source: aws.String(job.EventSource), DetailType: aws.String("T"), Detail: aws.String(`{"n":1}`)},
	}
	out, err := b.PutEvents(t.Context(), &eventbridge.PutEventsInput{Entries: entries})
	require.NoError(t, err)
	require.EqualValues(t, 1, out.FailedEntryCount)
	require.Equal(t, "MalformedDetail", *out.Entries[0].ErrorCode)
	require.Nil(t, out.Entries[1].ErrorCode)
	require.JSONEq(t, `{"n":1}`, string(b.receiveEvent(t).Detail))
	_, err = b.PutEvents(t.Context(), &eventbridge.PutEventsInput{Entries: make([]types.PutEventsRequestEntry, 11)})
	require.Error(t, err)
}

func TestEventBridgeRejectsUnsupported(t *testing.T) {
	t.Parallel()
	skipUnlessLocal(t)
	b := setupBus(t)
	_, err := b.ListRules(t.Context(), &eventbridge.ListRulesInput{})
	require.ErrorContains(t, err, "the local EventBridge does not implement ListRules")
	out, err := b.PutEvents(t.Context(), &eventbridge.PutEventsInput{Entries: []types.PutEventsRequestEntry{
		{EventBusName: aws.String("gone"), Source: aws.String("s"), DetailType: aws.String("T"), Detail: aws.String(`{}`)},
	}})
	require.NoError(t, err)
	require.Equal(t, "ResourceNotFoundException", *out.Entries[0].ErrorCode)
}

// The adapter publishes more events than fit into one request, each in the documented form.
func TestEventPublisher(t *testing.T) {
	t.Parallel()
	b := setupBus(t)
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	var published []job.Event
	var ids []job.EventID
	for i, status := range []job.Status{
		job.Completed, job.Failed, job.Cancelled, job.ColumnMapping, job.CellMapping, job.Completed, job.Completed, job.Completed, job.Completed, job.Completed, job.Failed,
	} {
		id := job.EventID(rune('a' + i))
		published = append(published, job.Event{EventID: id, Sequence: i + 1, JobID: "j", OrganisationID: 7, ImportType: "USER", Status: status, OccurredAt: at, CreatedAt: at})
		ids = append(ids, id)
	}
	taken, err := eventbus.New(b.Client, b.name).Publish(t.Context(), published)
	require.NoError(t, err)
	require.Equal(t, ids, taken)
	titles := map[string]int{}
	for range published {
		titles[b.receiveEvent(t).DetailType]++
	}
	require.Equal(t, map[string]int{"Import Completed": 6, "Import Failed": 2, "Import Cancelled": 1, "Import Waiting": 2}, titles)
	_, err = eventbus.New(b.Client, "gone").Publish(t.Context(), published[:1])
	if _, elsewhere := configuredEndpoint(); !elsewhere {
		require.ErrorContains(t, err, "publish event a: ResourceNotFoundException")
	}
}
