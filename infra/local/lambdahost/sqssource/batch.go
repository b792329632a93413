package sqssource

import (
	"encoding/json"
	"fmt"

	"github.com/aws/aws-lambda-go/events"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
)

// newEvent returns the event that Lambda creates from messages.
func newEvent(queue string, batch []sqs.Message) ([]byte, error) {
	event := events.SQSEvent{Records: make([]events.SQSMessage, len(batch))}
	for i, m := range batch {
		event.Records[i] = events.SQSMessage{
			MessageId: m.MessageID, ReceiptHandle: m.ReceiptHandle,
			Body: m.Body, Md5OfBody: m.MD5OfBody, Md5OfMessageAttributes: m.MD5OfMessageAttributes,
			Attributes: m.Attributes, MessageAttributes: messageAttributes(m.MessageAttributes),
			EventSource: "aws:sqs", EventSourceARN: sqs.ARN(queue), AWSRegion: "us-east-1",
		}
	}
	text, err := json.Marshal(event)
	if err != nil {
		return nil, fmt.Errorf("encode event of %d messages: %w", len(batch), err)
	}
	return text, nil
}

func messageAttributes(attrs map[string]sqs.Attribute) map[string]events.SQSMessageAttribute {
	converted := make(map[string]events.SQSMessageAttribute, len(attrs))
	for name, a := range attrs {
		converted[name] = events.SQSMessageAttribute{
			DataType: a.DataType, StringValue: a.StringValue, BinaryValue: a.BinaryValue,
			StringListValues: []string{}, BinaryListValues: [][]byte{},
		}
	}
	return converted
}

func allFailed(string) bool  { return true }
func noneFailed(string) bool { return false }

// readFailures parses a function's response as Lambda does: an empty response, null and an
// empty list mean that all messages were processed; a response that is not such a list, or
// that contains an id from outside the batch, means that none was.
func readFailures(output []byte, batch []sqs.Message) (failed func(id string) bool, err error) {
	var result struct {
		BatchItemFailures []struct{ ItemIdentifier string }
	}
	if len(output) == 0 {
		return noneFailed, nil
	}
	if err := json.Unmarshal(output, &result); err != nil {
		return allFailed, fmt.Errorf("batch response: %w", err)
	}
	given := make(map[string]bool, len(batch))
	for _, m := range batch {
		given[m.MessageID] = true
	}
	listed := map[string]bool{}
	for _, f := range result.BatchItemFailures {
		if !given[f.ItemIdentifier] {
			return allFailed, fmt.Errorf("batch response: no message %q in the batch", f.ItemIdentifier)
		}
		listed[f.ItemIdentifier] = true
	}
	return func(id string) bool { return listed[id] }, nil
}
