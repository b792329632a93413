package sqs

import (
	"context"
	"strconv"
	"time"
)

type setAttributesInput struct {
	QueueURL   string `json:"QueueUrl"`
	Attributes map[string]string
}

// setQueueAttributes changes the delay of messages without their own. As on AWS, the change
// does not affect messages that are already in the queue.
func (s *Service) setQueueAttributes(_ context.Context, in setAttributesInput) (emptyOutput, error) {
	q, err := s.findQueue(in.QueueURL)
	if err != nil {
		return emptyOutput{}, err
	}
	if in.Attributes == nil {
		return emptyOutput{}, missingParameter("Attributes")
	}
	for name := range in.Attributes {
		switch {
		case name == delaySeconds:
		case isSettable(name):
			return emptyOutput{}, unsupported("SetQueueAttributes of " + name)
		default:
			return emptyOutput{}, newError(codeAttributeName, "Unknown Attribute %s.", name)
		}
	}
	text, given := in.Attributes[delaySeconds]
	if !given {
		return emptyOutput{}, nil
	}
	delay, err := strconv.Atoi(text)
	if err != nil || delay < 0 || seconds(delay) > maxDelay {
		return emptyOutput{}, newError(codeAttributeValue, "Invalid value for the parameter %s.", delaySeconds)
	}
	return emptyOutput{}, q.update(settings{DelaySeconds: delay, Modified: time.Now().Unix()})
}

// delaySeconds is the attribute that can be changed here.
const delaySeconds = "DelaySeconds"

// isSettable reports whether AWS allows an attribute to be changed.
func isSettable(name string) bool {
	switch name {
	case "MaximumMessageSize", "MessageRetentionPeriod", "ReceiveMessageWaitTimeSeconds", "VisibilityTimeout", "SqsManagedSseEnabled":
		return true
	}
	return isQueueAttribute(name) && name != "FifoQueue"
}
