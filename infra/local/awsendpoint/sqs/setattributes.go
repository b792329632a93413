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

// setQueueAttributes changes how long messages are delayed that say nothing of it
// themselves. As on AWS, those that are in the queue already come when they were to come.
func (s *Service) setQueueAttributes(_ context.Context, in setAttributesInput) (nothing, error) {
	q, err := s.find(in.QueueURL)
	if err != nil {
		return nothing{}, err
	}
	if in.Attributes == nil {
		return nothing{}, missing("Attributes")
	}
	for name := range in.Attributes {
		switch {
		case name == delaySeconds:
		case settable(name):
			return nothing{}, unsupported("SetQueueAttributes of " + name)
		default:
			return nothing{}, fault(codeAttributeName, "Unknown Attribute %s.", name)
		}
	}
	text, given := in.Attributes[delaySeconds]
	if !given {
		return nothing{}, nil
	}
	delay, err := strconv.Atoi(text)
	if err != nil || delay < 0 || seconds(delay) > maxDelay {
		return nothing{}, fault(codeAttributeValue, "Invalid value for the parameter %s.", delaySeconds)
	}
	return nothing{}, q.change(settings{DelaySeconds: delay, Modified: time.Now().Unix()})
}

// delaySeconds is the attribute that can be changed here.
const delaySeconds = "DelaySeconds"

// settable reports whether AWS lets an attribute be changed.
func settable(name string) bool {
	switch name {
	case "MaximumMessageSize", "MessageRetentionPeriod", "ReceiveMessageWaitTimeSeconds", "VisibilityTimeout", "SqsManagedSseEnabled":
		return true
	}
	return knownQueueAttribute(name) && name != "FifoQueue"
}
