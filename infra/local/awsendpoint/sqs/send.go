package sqs

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
)

// Limits of SQS.
const (
	maxSize       = 1 << 20 // bytes per message, and per batch
	maxGroup      = 128     // bytes per MessageGroupId
	maxBatch      = 10
	maxDelay      = 15 * time.Minute
	maxVisibility = 12 * time.Hour
	maxWait       = 20 * time.Second
	purgeEvery    = time.Minute
)

// seconds returns n seconds; a value out of every range stays out of range.
func seconds(n int) time.Duration {
	const beyond = 1 << 20
	return time.Duration(max(-1, min(n, beyond))) * time.Second
}

// sendEntry holds the fields that SendMessage and a batch entry share.
type sendEntry struct {
	MessageBody       string
	DelaySeconds      *int
	MessageAttributes map[string]Attribute
	MessageGroupID    string `json:"MessageGroupId"`
}

type sendInput struct {
	QueueURL string `json:"QueueUrl"`
	sendEntry
}

type sendOutput struct {
	MessageID              string `json:"MessageId"`
	MD5OfMessageBody       string
	MD5OfMessageAttributes string `json:",omitempty"`
}

func (s *Service) sendMessage(_ context.Context, in sendInput) (sendOutput, error) {
	q, err := s.findQueue(in.QueueURL)
	if err != nil {
		return sendOutput{}, err
	}
	message, delay, err := newMessage(in.sendEntry, q.defaultDelay())
	if err != nil {
		return sendOutput{}, err
	}
	if err := q.send([]sentMessage{message}, []time.Duration{delay}); err != nil {
		return sendOutput{}, err
	}
	return newSendOutput(message), nil
}

func newSendOutput(m sentMessage) sendOutput {
	return sendOutput{MessageID: m.ID, MD5OfMessageBody: md5Of(m.Body), MD5OfMessageAttributes: attributesMD5(m.Attributes)}
}

// newMessage validates a message to send and returns it with its delay: its own, or else
// the queue's.
func newMessage(in sendEntry, delay time.Duration) (sentMessage, time.Duration, error) {
	if in.DelaySeconds != nil {
		delay = seconds(*in.DelaySeconds)
	}
	switch {
	case in.MessageBody == "":
		return sentMessage{}, 0, missingParameter("MessageBody")
	case strings.ContainsFunc(in.MessageBody, invalidCharacters):
		return sentMessage{}, 0, newError(codeContents, "Invalid characters found. Valid unicode characters are #x9 | #xA | #xD | #x20 to #xD7FF | #xE000 to #xFFFD | #x10000 to #x10FFFF.")
	case len(in.MessageBody)+attributesSize(in.MessageAttributes) > maxSize:
		return sentMessage{}, 0, newError(codeValue, "One or more parameters are invalid. Reason: Message must be shorter than %d bytes.", maxSize)
	case delay < 0 || delay > maxDelay:
		return sentMessage{}, 0, invalidValue(delaySeconds, *in.DelaySeconds, "DelaySeconds must be >= 0 and <= 900")
	}
	if len(in.MessageGroupID) > maxGroup || strings.ContainsFunc(in.MessageGroupID, invalidGroupCharacters) {
		return sentMessage{}, 0, invalidValue("MessageGroupId", in.MessageGroupID, "Can only include alphanumeric and punctuation characters. 1 to 128 in length")
	}
	if err := checkAttributes(in.MessageAttributes); err != nil {
		return sentMessage{}, 0, err
	}
	return sentMessage{
		ID: uuid.NewString(), Body: in.MessageBody, At: time.Now().UnixMilli(),
		Attributes: in.MessageAttributes, Group: in.MessageGroupID,
	}, delay, nil
}

// invalidGroupCharacters reports whether a MessageGroupId must not contain r.
func invalidGroupCharacters(r rune) bool { return r <= ' ' || r > '~' }

// invalidCharacters reports whether XML cannot represent r.
func invalidCharacters(r rune) bool {
	return r < 0x20 && r != '\t' && r != '\n' && r != '\r' || r == 0xFFFE || r == 0xFFFF
}

type sendBatchInput struct {
	QueueURL string `json:"QueueUrl"`
	Entries  []struct {
		ID string `json:"Id"`
		sendEntry
	}
}

type sentEntry struct {
	ID string `json:"Id"`
	sendOutput
}

func (s *Service) sendMessageBatch(_ context.Context, in sendBatchInput) (batchOutput[sentEntry], error) {
	out := newBatchOutput[sentEntry]()
	q, err := s.findQueue(in.QueueURL)
	if err != nil {
		return out, err
	}
	ids, size := make([]string, len(in.Entries)), 0
	for i, e := range in.Entries {
		ids[i], size = e.ID, size+len(e.MessageBody)+attributesSize(e.MessageAttributes)
	}
	if err := checkBatch(ids); err != nil {
		return out, err
	}
	if size > maxSize {
		return out, newError(codeLongBatch, "Batch requests cannot be longer than %d bytes. You have sent %d bytes.", maxSize, size)
	}
	usual := q.defaultDelay()
	messages, delays := make([]sentMessage, 0, len(ids)), make([]time.Duration, 0, len(ids))
	for _, e := range in.Entries {
		message, delay, err := newMessage(e.sendEntry, usual)
		if err != nil {
			if err := out.addFailure(e.ID, err); err != nil {
				return out, err
			}
			continue
		}
		messages, delays = append(messages, message), append(delays, delay)
		out.Successful = append(out.Successful, sentEntry{ID: e.ID, sendOutput: newSendOutput(message)})
	}
	if len(messages) == 0 {
		return out, nil
	}
	return out, q.send(messages, delays)
}
