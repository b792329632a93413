package sqs_test

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

func callOperation(t *testing.T, s *sqs.Service, operation, input string) map[string]any {
	t.Helper()
	output, err := s.Call(t.Context(), operation, []byte(input))
	require.NoError(t, err)
	raw, err := json.Marshal(output)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(raw, &out))
	return out
}

func attributes(t *testing.T, s *sqs.Service, queue string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	for name, value := range callOperation(t, s, "GetQueueAttributes", `{"QueueUrl":"`+queue+`","AttributeNames":["All"]}`)["Attributes"].(map[string]any) {
		out[name] = value.(string)
	}
	return out
}

func toMillis(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err)
	return n
}

// Rejected requests return the code that SDKs read.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	s := setup(t)
	eleven := strings.TrimSuffix(strings.Repeat(`{"Id":"x","MessageBody":"b"},`, 11), ",")
	for name, test := range map[string]struct{ operation, input, want string }{
		"unknown queue":                    {"SendMessage", `{"QueueUrl":"http://x/0/nope","MessageBody":"b"}`, "AWS.SimpleQueueService.NonExistentQueue;Sender"},
		"no queue URL":                     {"SendMessage", `{"MessageBody":"b"}`, "MissingParameter;Sender"},
		"no body":                          {"SendMessage", `{"QueueUrl":"work","MessageBody":""}`, "MissingParameter;Sender"},
		"invalid XML character":            {"SendMessage", `{"QueueUrl":"work","MessageBody":"a\u0001"}`, "InvalidMessageContents;Sender"},
		"body too long":                    {"SendMessage", `{"QueueUrl":"work","MessageBody":"` + strings.Repeat("x", 1<<20+1) + `"}`, "InvalidParameterValue;Sender"},
		"group":                            {"SendMessage", `{"QueueUrl":"work","MessageBody":"b","MessageGroupId":"a b"}`, "InvalidParameterValue;Sender"},
		"delay":                            {"SendMessage", `{"QueueUrl":"work","MessageBody":"b","DelaySeconds":901}`, "InvalidParameterValue;Sender"},
		"invalid attribute type":           {"SendMessage", `{"QueueUrl":"work","MessageBody":"b","MessageAttributes":{"a":{"DataType":"Set","StringValue":"x"}}}`, "InvalidParameterValue;Sender"},
		"invalid attribute value":          {"SendMessage", `{"QueueUrl":"work","MessageBody":"b","MessageAttributes":{"a":{"DataType":"Binary","StringValue":"x"}}}`, "InvalidParameterValue;Sender"},
		"empty batch":                      {"SendMessageBatch", `{"QueueUrl":"work","Entries":[]}`, "AWS.SimpleQueueService.EmptyBatchRequest;Sender"},
		"too many batch entries":           {"SendMessageBatch", `{"QueueUrl":"work","Entries":[` + eleven + `]}`, "AWS.SimpleQueueService.TooManyEntriesInBatchRequest;Sender"},
		"duplicate batch ids":              {"SendMessageBatch", `{"QueueUrl":"work","Entries":[{"Id":"x","MessageBody":"b"},{"Id":"x","MessageBody":"b"}]}`, "AWS.SimpleQueueService.BatchEntryIdsNotDistinct;Sender"},
		"invalid batch id":                 {"DeleteMessageBatch", `{"QueueUrl":"work","Entries":[{"Id":"a b","ReceiptHandle":"b"}]}`, "AWS.SimpleQueueService.InvalidBatchEntryId;Sender"},
		"batch too long":                   {"SendMessageBatch", `{"QueueUrl":"work","Entries":[{"Id":"1","MessageBody":"` + strings.Repeat("x", 1<<20) + `"},{"Id":"2","MessageBody":"b"}]}`, "AWS.SimpleQueueService.BatchRequestTooLong;Sender"},
		"receive of eleven messages":       {"ReceiveMessage", `{"QueueUrl":"work","MaxNumberOfMessages":11}`, "InvalidParameterValue;Sender"},
		"receive of zero messages":         {"ReceiveMessage", `{"QueueUrl":"work","MaxNumberOfMessages":0}`, "InvalidParameterValue;Sender"},
		"wait":                             {"ReceiveMessage", `{"QueueUrl":"work","WaitTimeSeconds":21}`, "InvalidParameterValue;Sender"},
		"visibility":                       {"ReceiveMessage", `{"QueueUrl":"work","VisibilityTimeout":43201}`, "InvalidParameterValue;Sender"},
		"overflow":                         {"ReceiveMessage", `{"QueueUrl":"work","VisibilityTimeout":18446744074}`, "InvalidParameterValue;Sender"},
		"unknown message attribute":        {"ReceiveMessage", `{"QueueUrl":"work","MessageSystemAttributeNames":["Mood"]}`, "InvalidAttributeName;Sender"},
		"unknown queue attribute":          {"GetQueueAttributes", `{"QueueUrl":"work","AttributeNames":["Mood"]}`, "InvalidAttributeName;Sender"},
		"no attributes to set":             {"SetQueueAttributes", `{"QueueUrl":"work"}`, "MissingParameter;Sender"},
		"unknown attribute to set":         {"SetQueueAttributes", `{"QueueUrl":"work","Attributes":{"DelaySeconds":"1","Mood":"x"}}`, "InvalidAttributeName;Sender"},
		"delay above the limit":            {"SetQueueAttributes", `{"QueueUrl":"work","Attributes":{"DelaySeconds":"901"}}`, "InvalidAttributeValue;Sender"},
		"delay that is not a number":       {"SetQueueAttributes", `{"QueueUrl":"work","Attributes":{"DelaySeconds":"soon"}}`, "InvalidAttributeValue;Sender"},
		"attribute that cannot be changed": {"SetQueueAttributes", `{"QueueUrl":"work","Attributes":{"VisibilityTimeout":"1"}}`, "AWS.SimpleQueueService.UnsupportedOperation;Sender"},
		"receipt":                          {"DeleteMessage", `{"QueueUrl":"work","ReceiptHandle":"x"}`, "ReceiptHandleIsInvalid;Sender"},
		"no visibility timeout":            {"ChangeMessageVisibility", `{"QueueUrl":"work","ReceiptHandle":"x"}`, "MissingParameter;Sender"},
		"another account":                  {"GetQueueUrl", `{"QueueName":"work","QueueOwnerAWSAccountId":"123456789012"}`, "AWS.SimpleQueueService.NonExistentQueue;Sender"},
		"unsupported operation":            {"CreateQueue", `{"QueueName":"x"}`, "AWS.SimpleQueueService.UnsupportedOperation;Sender"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := s.Call(t.Context(), test.operation, []byte(test.input))
			var fault *awsjson.Error
			require.True(t, errors.As(err, &fault), "%v", err)
			require.Equal(t, test.want, fault.Query)
		})
	}
}

func TestUnknownMembersAreNamed(t *testing.T) {
	t.Parallel()
	_, err := setup(t).Call(t.Context(), "SendMessage", []byte(`{"QueueUrl":"work","MessageBody":"b","MessageDeduplicationId":"d"}`))
	require.ErrorContains(t, err, "MessageDeduplicationId")
}

func TestBatchReportsEachEntry(t *testing.T) {
	t.Parallel()
	s := setup(t)
	out := callOperation(t, s, "SendMessageBatch", `{"QueueUrl":"work","Entries":[{"Id":"good","MessageBody":"hello"},{"Id":"bad","MessageBody":"b","DelaySeconds":-5}]}`)
	require.Equal(t, "good", out["Successful"].([]any)[0].(map[string]any)["Id"])
	require.Equal(t, "5d41402abc4b2a76b9719d911017c592", out["Successful"].([]any)[0].(map[string]any)["MD5OfMessageBody"])
	failed := out["Failed"].([]any)[0].(map[string]any)
	require.Equal(t, "bad", failed["Id"])
	require.Equal(t, "InvalidParameterValue", failed["Code"])
	require.Equal(t, true, failed["SenderFault"])

	handle := receive(t, s, workQueue, noWait)[0].ReceiptHandle
	out = callOperation(t, s, "ChangeMessageVisibilityBatch", `{"QueueUrl":"work","Entries":[{"Id":"a","ReceiptHandle":"`+handle+`","VisibilityTimeout":0},{"Id":"b","ReceiptHandle":"nonsense"}]}`)
	require.Len(t, out["Successful"], 1)
	require.Len(t, out["Failed"], 1)
	handle = receive(t, s, workQueue, noWait)[0].ReceiptHandle
	out = callOperation(t, s, "DeleteMessageBatch", `{"QueueUrl":"work","Entries":[{"Id":"a","ReceiptHandle":"`+handle+`"}]}`)
	require.Len(t, out["Successful"], 1)
	require.Empty(t, out["Failed"])
}

func TestListQueuesByPages(t *testing.T) {
	t.Parallel()
	s := setup(t)
	first := callOperation(t, s, "ListQueues", `{"MaxResults":1}`)
	require.Equal(t, []any{"http://127.0.0.1:4566/000000000000/dead"}, first["QueueUrls"])
	second := callOperation(t, s, "ListQueues", `{"MaxResults":1,"NextToken":"`+first["NextToken"].(string)+`"}`)
	require.Equal(t, []any{"http://127.0.0.1:4566/000000000000/work"}, second["QueueUrls"])
	require.Nil(t, second["NextToken"])
	require.Nil(t, callOperation(t, s, "ListQueues", `{"QueueNamePrefix":"x"}`)["QueueUrls"])
}

func TestPurge(t *testing.T) {
	t.Parallel()
	s := setup(t)
	send(t, s, "a", "b")
	callOperation(t, s, "PurgeQueue", `{"QueueUrl":"work"}`)
	require.Equal(t, "0", attributes(t, s, workQueue)["ApproximateNumberOfMessages"])
	_, err := s.Call(t.Context(), "PurgeQueue", []byte(`{"QueueUrl":"work"}`))
	require.ErrorContains(t, err, "PurgeQueueInProgress")
}
