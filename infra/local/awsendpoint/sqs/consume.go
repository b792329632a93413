package sqs

import "context"

type receiveInput struct {
	QueueURL                    string `json:"QueueUrl"`
	AttributeNames              []string
	MessageSystemAttributeNames []string
	MessageAttributeNames       []string
	MaxNumberOfMessages         *int
	VisibilityTimeout           *int
	WaitTimeSeconds             int
}

type receiveOutput struct {
	Messages []Message `json:",omitempty"`
}

func (s *Service) receiveMessage(ctx context.Context, in receiveInput) (receiveOutput, error) {
	q, err := s.findQueue(in.QueueURL)
	if err != nil {
		return receiveOutput{}, err
	}
	most, visibility := defaultValue(in.MaxNumberOfMessages, 1), q.config.Visibility
	if in.VisibilityTimeout != nil {
		visibility = seconds(*in.VisibilityTimeout)
	}
	wait := seconds(in.WaitTimeSeconds)
	switch {
	case most < 1 || most > maxBatch:
		return receiveOutput{}, invalidValue("MaxNumberOfMessages", most, "Must be between 1 and 10, if provided")
	case visibility < 0 || visibility > maxVisibility:
		return receiveOutput{}, invalidValue("VisibilityTimeout", *in.VisibilityTimeout, "Must be between 0 and 43200, if provided")
	case wait < 0 || wait > maxWait:
		return receiveOutput{}, invalidValue("WaitTimeSeconds", in.WaitTimeSeconds, "Must be >= 0 and <= 20, if provided")
	}
	system := append(in.AttributeNames, in.MessageSystemAttributeNames...)
	for _, name := range system {
		if !isSystemAttribute(name) {
			return receiveOutput{}, newError(codeAttributeName, "Unknown Attribute %s.", name)
		}
	}
	taken, err := q.receive(ctx, s.closed, most, visibility, wait)
	if err != nil {
		return receiveOutput{}, err
	}
	var out receiveOutput
	for _, r := range taken {
		out.Messages = append(out.Messages, r.output(system, in.MessageAttributeNames))
	}
	return out, nil
}

func defaultValue(value *int, otherwise int) int {
	if value == nil {
		return otherwise
	}
	return *value
}

type deleteInput struct {
	QueueURL      string `json:"QueueUrl"`
	ReceiptHandle string
}

// emptyOutput is the response of operations without output.
type emptyOutput struct{}

func (s *Service) deleteMessage(_ context.Context, in deleteInput) (emptyOutput, error) {
	return emptyOutput{}, s.Delete(in.QueueURL, in.ReceiptHandle)
}

type deleteEntry struct {
	ID            string `json:"Id"`
	ReceiptHandle string
}

type deleteBatchInput struct {
	QueueURL string `json:"QueueUrl"`
	Entries  []deleteEntry
}

func (s *Service) deleteMessageBatch(_ context.Context, in deleteBatchInput) (batchOutput[successEntry], error) {
	if _, err := s.findQueue(in.QueueURL); err != nil {
		return batchOutput[successEntry]{}, err
	}
	return runBatch(in.Entries, func(e deleteEntry) string { return e.ID }, func(e deleteEntry) error {
		return s.Delete(in.QueueURL, e.ReceiptHandle)
	})
}

type visibilityInput struct {
	QueueURL          string `json:"QueueUrl"`
	ReceiptHandle     string
	VisibilityTimeout *int
}

func (s *Service) changeMessageVisibility(_ context.Context, in visibilityInput) (emptyOutput, error) {
	if in.VisibilityTimeout == nil {
		return emptyOutput{}, missingParameter("VisibilityTimeout")
	}
	return emptyOutput{}, s.ChangeVisibility(in.QueueURL, in.ReceiptHandle, seconds(*in.VisibilityTimeout))
}

type visibilityEntry struct {
	ID                string `json:"Id"`
	ReceiptHandle     string
	VisibilityTimeout int
}

type visibilityBatchInput struct {
	QueueURL string `json:"QueueUrl"`
	Entries  []visibilityEntry
}

func (s *Service) changeMessageVisibilityBatch(_ context.Context, in visibilityBatchInput) (batchOutput[successEntry], error) {
	if _, err := s.findQueue(in.QueueURL); err != nil {
		return batchOutput[successEntry]{}, err
	}
	return runBatch(in.Entries, func(e visibilityEntry) string { return e.ID }, func(e visibilityEntry) error {
		return s.ChangeVisibility(in.QueueURL, e.ReceiptHandle, seconds(e.VisibilityTimeout))
	})
}
