package sqs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

type attributesInput struct {
	QueueURL       string `json:"QueueUrl"`
	AttributeNames []string
}

type attributesOutput struct {
	Attributes map[string]string `json:",omitempty"`
}

func (s *Service) getQueueAttributes(_ context.Context, in attributesInput) (attributesOutput, error) {
	q, err := s.findQueue(in.QueueURL)
	if err != nil {
		return attributesOutput{}, err
	}
	all, err := q.attributes()
	if err != nil {
		return attributesOutput{}, err
	}
	chosen := make(map[string]string)
	for _, name := range in.AttributeNames {
		value, there := all[name]
		switch {
		case name == allAttributeNames:
			return attributesOutput{Attributes: all}, nil
		case there:
			chosen[name] = value
		case !isQueueAttribute(name):
			return attributesOutput{}, newError(codeAttributeName, "Unknown Attribute %s.", name)
		}
	}
	return attributesOutput{Attributes: chosen}, nil
}

// isQueueAttribute reports whether name is an attribute that a queue on AWS may have but
// that is never set here.
func isQueueAttribute(name string) bool {
	return slices.Contains([]string{
		"Policy", "RedrivePolicy", "RedriveAllowPolicy", "KmsMasterKeyId", "KmsDataKeyReusePeriodSeconds",
		"FifoQueue", "ContentBasedDeduplication", "DeduplicationScope", "FifoThroughputLimit",
	}, name)
}

func (q *queue) attributes() (map[string]string, error) {
	c := q.countMessages()
	q.mu.Lock()
	now := q.settings
	q.mu.Unlock()
	created := q.created.Unix()
	all := map[string]string{
		"ApproximateNumberOfMessages":           strconv.Itoa(c.ready),
		"ApproximateNumberOfMessagesNotVisible": strconv.Itoa(c.inFlight),
		"ApproximateNumberOfMessagesDelayed":    strconv.Itoa(c.delayed),
		"CreatedTimestamp":                      strconv.FormatInt(created, 10),
		"LastModifiedTimestamp":                 strconv.FormatInt(max(created, now.Modified), 10),
		delaySeconds:                            strconv.Itoa(now.DelaySeconds),
		"MaximumMessageSize":                    strconv.Itoa(maxSize),
		"MessageRetentionPeriod":                strconv.Itoa(int(q.config.Retention.Seconds())),
		"QueueArn":                              ARN(q.config.Name),
		"ReceiveMessageWaitTimeSeconds":         "0",
		"SqsManagedSseEnabled":                  "false",
		"VisibilityTimeout":                     strconv.Itoa(int(q.config.Visibility.Seconds())),
	}
	if q.deadLetters == nil {
		return all, nil
	}
	policy, err := json.Marshal(map[string]any{
		"deadLetterTargetArn": ARN(q.deadLetters.config.Name),
		"maxReceiveCount":     q.config.MaxReceive,
	})
	if err != nil {
		return nil, fmt.Errorf("describe %s: %w", q.config.Name, err)
	}
	all["RedrivePolicy"] = string(policy)
	return all, nil
}

type urlInput struct {
	QueueName              string
	QueueOwnerAWSAccountID string `json:"QueueOwnerAWSAccountId"`
}

type urlOutput struct {
	QueueURL string `json:"QueueUrl"`
}

func (s *Service) getQueueURL(_ context.Context, in urlInput) (urlOutput, error) {
	if in.QueueName == "" {
		return urlOutput{}, missingParameter("QueueName")
	}
	_, there := s.queues[in.QueueName]
	if !there || in.QueueOwnerAWSAccountID != "" && in.QueueOwnerAWSAccountID != account {
		return urlOutput{}, queueNotFound()
	}
	return urlOutput{QueueURL: s.URL(in.QueueName)}, nil
}

type listInput struct {
	QueueNamePrefix string
	MaxResults      *int
	NextToken       string
}

type listOutput struct {
	QueueURLs []string `json:"QueueUrls,omitempty"`
	NextToken string   `json:",omitempty"`
}

// listQueues returns pages sorted by name; a page token is the last name.
func (s *Service) listQueues(_ context.Context, in listInput) (listOutput, error) {
	const most = 1000
	size := defaultValue(in.MaxResults, most)
	if size < 1 || size > most {
		return listOutput{}, invalidValue("MaxResults", size, "Must be between 1 and 1000")
	}
	var out listOutput
	last := ""
	for _, name := range s.names {
		if !strings.HasPrefix(name, in.QueueNamePrefix) || name <= in.NextToken {
			continue
		}
		if len(out.QueueURLs) == size {
			out.NextToken = last
			break
		}
		out.QueueURLs, last = append(out.QueueURLs, s.URL(name)), name
	}
	return out, nil
}

type purgeInput struct {
	QueueURL string `json:"QueueUrl"`
}

func (s *Service) purgeQueue(_ context.Context, in purgeInput) (emptyOutput, error) {
	q, err := s.findQueue(in.QueueURL)
	if err != nil {
		return emptyOutput{}, err
	}
	return emptyOutput{}, q.purge()
}
