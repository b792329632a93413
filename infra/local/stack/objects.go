package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/s3"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/sqs"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// objectCreated delivers the event of a new object to the functions that listen for its
// prefix. An event that a function fails permanently goes to the dead-letter queue: nil
// means that the event is settled.
func (s *Stack) objectCreated(ctx context.Context, object s3.ObjectCreated) error {
	select {
	case <-s.ready: // events of the last run arrive before the functions are ready
	case <-ctx.Done():
		return ctx.Err()
	}
	event, err := objectEvent(object)
	if err != nil {
		return err
	}
	for _, listener := range s.resources.ObjectEvents {
		if !strings.HasPrefix(object.Key, listener.Prefix) {
			continue
		}
		if err := s.deliverObjectEvent(ctx, listener, event); err != nil {
			return err
		}
	}
	return nil
}

func (s *Stack) deliverObjectEvent(ctx context.Context, listener blueprint.ObjectEvent, event []byte) error {
	err := s.Functions.Deliver(ctx, listener.Function, event)
	if !errors.Is(err, lambdahost.ErrRetriesExhausted) || listener.DeadLetter == "" {
		return err
	}
	s.config.Logger.Error("move object event to dead letters", "function", listener.Function, "queue", listener.DeadLetter, "error", err)
	if err := s.authorizer.AuthorizeRole(listener.Function, "sqs:SendMessage", sqs.ARN(listener.DeadLetter)); err != nil {
		return fmt.Errorf("send object event to dead letters: %w", err)
	}
	if _, err := s.queues.Send(listener.DeadLetter, string(event)); err != nil {
		return fmt.Errorf("send object event to dead letters: %w", err)
	}
	return nil
}

// objectEvent returns EventBridge's "Object Created" event.
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/ev-events.html
func objectEvent(object s3.ObjectCreated) ([]byte, error) {
	requestID := uuid.NewString()
	detail, err := json.Marshal(map[string]any{
		"version": "0",
		"bucket":  map[string]any{"name": object.Bucket},
		"object":  map[string]any{"key": object.Key, "size": object.Size, "etag": object.ETag, "sequencer": object.Sequencer},
		"reason":  object.Reason, "request-id": requestID, "requester": lambdahost.Account, "source-ip-address": "127.0.0.1",
	})
	if err != nil {
		return nil, fmt.Errorf("deliver object event: %w", err)
	}
	event, err := json.Marshal(events.EventBridgeEvent{
		Version: "0", ID: uuid.NewString(), DetailType: "Object Created", Source: "aws.s3",
		AccountID: lambdahost.Account, Region: lambdahost.Region, Time: object.Time.UTC().Truncate(time.Second),
		Resources: []string{"arn:aws:s3:::" + object.Bucket}, Detail: detail,
	})
	if err != nil {
		return nil, fmt.Errorf("deliver object event: %w", err)
	}
	return event, nil
}
