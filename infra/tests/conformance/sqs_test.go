package conformance

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/aws/aws-sdk-go-v2/service/sqs/types"
	"github.com/aws/smithy-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	local "github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

// queues is a queue and its dead-letter queue, with a client.
type queues struct {
	*sqs.Client
	name      string
	url, dead *string
}

const (
	queueVisibility = 4 * time.Second
	queueRetention  = time.Hour
	queueMaxReceive = 2
)

func setupQueues(t *testing.T) *queues {
	t.Helper()
	name := uniqueName("work")
	if url, ok := configuredEndpoint(); ok {
		return createQueues(t, url, name)
	}
	s, err := local.New(openDatabase(t), []blueprint.Queue{
		{Name: name, Visibility: queueVisibility, Retention: queueRetention, DeadLetter: name + "-dead", MaxReceive: queueMaxReceive},
		{Name: name + "-dead", Visibility: queueVisibility, Retention: queueRetention},
	})
	require.NoError(t, err)
	client := sqs.NewFromConfig(clientConfig(startEndpoint(t, awsendpoint.Config{Services: []awsjson.Service{s}})))
	return &queues{Client: client, name: name, url: aws.String(s.URL(name)), dead: aws.String(s.URL(name + "-dead"))}
}

// createQueues creates the same queues at another endpoint.
func createQueues(t *testing.T, url, name string) *queues {
	t.Helper()
	q := &queues{Client: sqs.NewFromConfig(clientConfig(url)), name: name}
	create := func(name string, more map[string]string) *string {
		attributes := map[string]string{
			"VisibilityTimeout":      strconv.Itoa(int(queueVisibility.Seconds())),
			"MessageRetentionPeriod": strconv.Itoa(int(queueRetention.Seconds())),
		}
		for key, value := range more {
			attributes[key] = value
		}
		out, err := q.CreateQueue(t.Context(), &sqs.CreateQueueInput{QueueName: &name, Attributes: attributes})
		require.NoError(t, err)
		t.Cleanup(func() {
			_, err := q.DeleteQueue(cleanupContext(t), &sqs.DeleteQueueInput{QueueUrl: out.QueueUrl})
			require.NoError(t, err)
		})
		return out.QueueUrl
	}
	q.dead = create(name+"-dead", nil)
	arn := q.attributes(t, q.dead)["QueueArn"]
	q.url = create(name, map[string]string{
		"RedrivePolicy": fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":%d}`, arn, queueMaxReceive),
	})
	return q
}

func (q *queues) attributes(t *testing.T, url *string) map[string]string {
	t.Helper()
	out, err := q.GetQueueAttributes(t.Context(), &sqs.GetQueueAttributesInput{QueueUrl: url, AttributeNames: []types.QueueAttributeName{types.QueueAttributeNameAll}})
	require.NoError(t, err)
	return out.Attributes
}

func (q *queues) send(t *testing.T, body string) {
	t.Helper()
	_, err := q.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: q.url, MessageBody: &body})
	require.NoError(t, err)
}

// receive waits up to wait seconds for messages and returns them with all attributes.
func (q *queues) receive(t *testing.T, url *string, wait int32) []types.Message {
	t.Helper()
	out, err := q.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{
		QueueUrl: url, MaxNumberOfMessages: 10, WaitTimeSeconds: wait,
		MessageSystemAttributeNames: []types.MessageSystemAttributeName{types.MessageSystemAttributeNameAll},
		MessageAttributeNames:       []string{"All"},
	})
	require.NoError(t, err)
	return out.Messages
}

func (q *queues) receiveOne(t *testing.T, url *string, wait int32) types.Message {
	t.Helper()
	messages := q.receive(t, url, wait)
	require.Len(t, messages, 1)
	return messages[0]
}

func TestSQSMessage(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	before := time.Now().Add(-time.Second)
	sent, err := q.SendMessage(t.Context(), &sqs.SendMessageInput{
		QueueUrl: q.url, MessageBody: aws.String(`{"job":"ü","chunk":1}`),
		MessageAttributes: map[string]types.MessageAttributeValue{
			"request": {DataType: aws.String("String"), StringValue: aws.String("r-1")},
			"count":   {DataType: aws.String("Number.int"), StringValue: aws.String("7")},
			"raw":     {DataType: aws.String("Binary"), BinaryValue: []byte{0, 1, 255}},
		},
	})
	require.NoError(t, err)
	require.Equal(t, "05e58c5003a365101921cb52463ab561", *sent.MD5OfMessageBody)
	require.Equal(t, "0b89e65415b050a85fa8ff259a19a334", *sent.MD5OfMessageAttributes)

	m := q.receiveOne(t, q.url, 20)
	require.Equal(t, *sent.MessageId, *m.MessageId)
	require.Equal(t, `{"job":"ü","chunk":1}`, *m.Body)
	require.Equal(t, *sent.MD5OfMessageBody, *m.MD5OfBody)
	require.Equal(t, "r-1", *m.MessageAttributes["request"].StringValue)
	require.Equal(t, "Number.int", *m.MessageAttributes["count"].DataType)
	require.Equal(t, []byte{0, 1, 255}, m.MessageAttributes["raw"].BinaryValue)
	require.Equal(t, *sent.MD5OfMessageAttributes, *m.MD5OfMessageAttributes)
	require.Equal(t, "1", m.Attributes["ApproximateReceiveCount"])
	for _, name := range []string{"SentTimestamp", "ApproximateFirstReceiveTimestamp"} {
		at, err := strconv.ParseInt(m.Attributes[name], 10, 64)
		require.NoError(t, err)
		require.True(t, time.UnixMilli(at).After(before) && time.UnixMilli(at).Before(time.Now().Add(time.Second)), name)
	}

	_, err = q.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: q.url, ReceiptHandle: m.ReceiptHandle})
	require.NoError(t, err)
	require.Empty(t, q.receive(t, q.url, int32(queueVisibility.Seconds())+1), "a deleted message is not received again")
}

func TestSQSVisibilityTimeout(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	q.send(t, "x")
	first := q.receiveOne(t, q.url, 20)
	begun := time.Now()
	require.Empty(t, q.receive(t, q.url, 0))
	second := q.receiveOne(t, q.url, 20)
	require.GreaterOrEqual(t, time.Since(begun), queueVisibility-500*time.Millisecond)
	require.Equal(t, *first.MessageId, *second.MessageId)
	require.NotEqual(t, *first.ReceiptHandle, *second.ReceiptHandle)
	require.Equal(t, "2", second.Attributes["ApproximateReceiveCount"])
}

func TestSQSChangeVisibility(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	q.send(t, "x")
	m := q.receiveOne(t, q.url, 20)
	_, err := q.ChangeMessageVisibility(t.Context(), &sqs.ChangeMessageVisibilityInput{QueueUrl: q.url, ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 0})
	require.NoError(t, err)
	m = q.receiveOne(t, q.url, 0)
	_, err = q.ChangeMessageVisibility(t.Context(), &sqs.ChangeMessageVisibilityInput{QueueUrl: q.url, ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 60})
	require.NoError(t, err)
	require.Empty(t, q.receive(t, q.url, int32(queueVisibility.Seconds())+1), "the new timeout is longer than the queue's")
}

func TestSQSDelay(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	_, err := q.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: q.url, MessageBody: aws.String("x"), DelaySeconds: 4})
	require.NoError(t, err)
	begun := time.Now()
	require.Equal(t, "1", q.attributes(t, q.url)["ApproximateNumberOfMessagesDelayed"])
	q.receiveOne(t, q.url, 20)
	require.GreaterOrEqual(t, time.Since(begun), 3500*time.Millisecond)
}

func TestSQSQueueDelay(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	delay := func(seconds string) error {
		_, err := q.SetQueueAttributes(t.Context(), &sqs.SetQueueAttributesInput{QueueUrl: q.url, Attributes: map[string]string{"DelaySeconds": seconds}})
		return err
	}
	require.NoError(t, delay("900"))
	require.Equal(t, "900", q.attributes(t, q.url)["DelaySeconds"])
	q.send(t, "late")
	require.Equal(t, "1", q.attributes(t, q.url)["ApproximateNumberOfMessagesDelayed"])
	_, err := q.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: q.url, MessageBody: aws.String("a delay of its own"), DelaySeconds: 1})
	require.NoError(t, err)
	require.Equal(t, "a delay of its own", *q.receiveOne(t, q.url, 20).Body)

	require.NoError(t, delay("0"))
	q.send(t, "after")
	require.Equal(t, "after", *q.receiveOne(t, q.url, 20).Body, "messages sent earlier keep their delay")

	var invalid *types.InvalidAttributeValue
	require.ErrorAs(t, delay("901"), &invalid)
	_, err = q.SetQueueAttributes(t.Context(), &sqs.SetQueueAttributesInput{QueueUrl: q.url, Attributes: map[string]string{"Mood": "good"}})
	var unknown *types.InvalidAttributeName
	require.ErrorAs(t, err, &unknown)
}

func TestSQSLongPollReturnsEarly(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	received := make(chan []types.Message, 1)
	go func() { received <- q.receive(t, q.url, 20) }()
	q.send(t, "x")
	select {
	case messages := <-received:
		require.Len(t, messages, 1)
	case <-time.After(15 * time.Second): // shorter than an empty receive would wait
		t.Fatal("the long poll did not return")
	}
}

func TestSQSDeadLetters(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	q.send(t, "poison")
	id := *q.receiveOne(t, q.url, 20).MessageId
	q.receiveOne(t, q.url, 20)
	require.Empty(t, q.receive(t, q.url, int32(queueVisibility.Seconds())+2), "the third receive moves the message")
	m := q.receiveOne(t, q.dead, 20)
	require.Equal(t, id, *m.MessageId)
	require.Equal(t, "poison", *m.Body)
	require.Equal(t, q.attributes(t, q.url)["QueueArn"], m.Attributes["DeadLetterQueueSourceArn"])
}

func TestSQSBatches(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	entries := make([]types.SendMessageBatchRequestEntry, 10)
	for i := range entries {
		entries[i] = types.SendMessageBatchRequestEntry{Id: aws.String(strconv.Itoa(i)), MessageBody: aws.String("m" + strconv.Itoa(i))}
	}
	sent, err := q.SendMessageBatch(t.Context(), &sqs.SendMessageBatchInput{QueueUrl: q.url, Entries: entries})
	require.NoError(t, err)
	require.Len(t, sent.Successful, 10)
	require.Empty(t, sent.Failed)

	var messages []types.Message
	for len(messages) < 10 {
		more := q.receive(t, q.url, 1)
		require.NotEmpty(t, more)
		messages = append(messages, more...)
	}
	change := make([]types.ChangeMessageVisibilityBatchRequestEntry, 0, 10)
	remove := make([]types.DeleteMessageBatchRequestEntry, 0, 10)
	for i, m := range messages {
		id := aws.String(strconv.Itoa(i))
		change = append(change, types.ChangeMessageVisibilityBatchRequestEntry{Id: id, ReceiptHandle: m.ReceiptHandle, VisibilityTimeout: 30})
		remove = append(remove, types.DeleteMessageBatchRequestEntry{Id: id, ReceiptHandle: m.ReceiptHandle})
	}
	changed, err := q.ChangeMessageVisibilityBatch(t.Context(), &sqs.ChangeMessageVisibilityBatchInput{QueueUrl: q.url, Entries: change})
	require.NoError(t, err)
	require.Len(t, changed.Successful, 10)
	removed, err := q.DeleteMessageBatch(t.Context(), &sqs.DeleteMessageBatchInput{QueueUrl: q.url, Entries: remove[:9]})
	require.NoError(t, err)
	require.Len(t, removed.Successful, 9)
	require.Equal(t, "1", q.attributes(t, q.url)["ApproximateNumberOfMessagesNotVisible"])
}

func TestSQSErrors(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	_, err := q.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: aws.String(*q.url + "-none"), MessageBody: aws.String("x")})
	var noQueue *types.QueueDoesNotExist
	require.ErrorAs(t, err, &noQueue)
	require.Equal(t, "AWS.SimpleQueueService.NonExistentQueue", noQueue.ErrorCode())
	_, err = q.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: aws.String(uniqueName("none"))})
	require.ErrorAs(t, err, &noQueue)

	_, err = q.DeleteMessage(t.Context(), &sqs.DeleteMessageInput{QueueUrl: q.url, ReceiptHandle: aws.String("nonsense")})
	var badHandle *types.ReceiptHandleIsInvalid
	require.ErrorAs(t, err, &badHandle)

	_, err = q.SendMessageBatch(t.Context(), &sqs.SendMessageBatchInput{QueueUrl: q.url, Entries: []types.SendMessageBatchRequestEntry{}})
	var empty *types.EmptyBatchRequest
	require.ErrorAs(t, err, &empty)
	same := types.SendMessageBatchRequestEntry{Id: aws.String("a"), MessageBody: aws.String("x")}
	_, err = q.SendMessageBatch(t.Context(), &sqs.SendMessageBatchInput{QueueUrl: q.url, Entries: []types.SendMessageBatchRequestEntry{same, same}})
	var notDistinct *types.BatchEntryIdsNotDistinct
	require.ErrorAs(t, err, &notDistinct)

	_, err = q.ReceiveMessage(t.Context(), &sqs.ReceiveMessageInput{QueueUrl: q.url, MaxNumberOfMessages: 11})
	var fault smithy.APIError
	require.ErrorAs(t, err, &fault)
	require.Equal(t, "InvalidParameterValue", fault.ErrorCode())
	_, err = q.SendMessage(t.Context(), &sqs.SendMessageInput{QueueUrl: q.url, MessageBody: aws.String("bell \a")})
	var contents *types.InvalidMessageContents
	require.ErrorAs(t, err, &contents)
}

func TestSQSQueues(t *testing.T) {
	t.Parallel()
	q := setupQueues(t)
	found, err := q.GetQueueUrl(t.Context(), &sqs.GetQueueUrlInput{QueueName: &q.name})
	require.NoError(t, err)
	require.Equal(t, *q.url, *found.QueueUrl)
	listed, err := q.ListQueues(t.Context(), &sqs.ListQueuesInput{QueueNamePrefix: &q.name})
	require.NoError(t, err)
	require.ElementsMatch(t, []string{*q.url, *q.dead}, listed.QueueUrls)

	attributes := q.attributes(t, q.url)
	require.Equal(t, strconv.Itoa(int(queueVisibility.Seconds())), attributes["VisibilityTimeout"])
	require.Equal(t, "3600", attributes["MessageRetentionPeriod"])
	require.Contains(t, attributes["QueueArn"], ":"+q.name)
	require.JSONEq(t, fmt.Sprintf(`{"deadLetterTargetArn":%q,"maxReceiveCount":2}`, q.attributes(t, q.dead)["QueueArn"]), attributes["RedrivePolicy"])

	q.send(t, "a")
	q.send(t, "b")
	require.Equal(t, "2", q.attributes(t, q.url)["ApproximateNumberOfMessages"])
	_, err = q.PurgeQueue(t.Context(), &sqs.PurgeQueueInput{QueueUrl: q.url})
	require.NoError(t, err)
	require.Empty(t, q.receive(t, q.url, 0))
}
