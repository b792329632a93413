// Package eventbus publishes the events of imports on an EventBridge bus.
//
// Tested by infra/tests/conformance: publishing to the local endpoint.
package eventbus

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge"
	"github.com/aws/aws-sdk-go-v2/service/eventbridge/types"

	"github.com/loadbay/loadbay/shared/job"
)

// Bus is one event bus.
type Bus struct {
	client *eventbridge.Client
	name   string
}

// New returns the bus with that name.
func New(client *eventbridge.Client, name string) *Bus { return &Bus{client: client, name: name} }

// Settings configures the bus.
type Settings struct {
	Bus string `env:"EVENT_BUS,required"`
}

// Open returns the bus named in the settings.
func Open(c aws.Config, s Settings) *Bus { return New(eventbridge.NewFromConfig(c), s.Bus) }

// batchSize is the maximum number of events per request to EventBridge.
const batchSize = 10

// Publish publishes events and returns the ids of those that the bus has accepted,
// also together with an error about others. An event is published as
//
//	{"source": "loadbay", "detail-type": "Import Completed", "detail": job.Event}
func (b *Bus) Publish(ctx context.Context, events []job.Event) (taken []job.EventID, err error) {
	for batch := range slices.Chunk(events, batchSize) {
		ids, err := b.put(ctx, batch)
		taken = append(taken, ids...)
		if err != nil {
			return taken, err
		}
	}
	return taken, nil
}

func (b *Bus) put(ctx context.Context, events []job.Event) (taken []job.EventID, err error) {
	entries := make([]types.PutEventsRequestEntry, len(events))
	for i, e := range events {
		detail, err := json.Marshal(e)
		if err != nil {
			return nil, fmt.Errorf("publish event %s: %w", e.EventID, err)
		}
		entries[i] = types.PutEventsRequestEntry{
			EventBusName: &b.name, Source: aws.String(job.EventSource), DetailType: aws.String(e.Status.EventTitle()),
			Detail: aws.String(string(detail)), Time: &events[i].OccurredAt,
		}
	}
	out, err := b.client.PutEvents(ctx, &eventbridge.PutEventsInput{Entries: entries})
	if err != nil {
		return nil, fmt.Errorf("publish %d events: %w", len(events), err)
	}
	if len(out.Entries) != len(events) {
		return nil, fmt.Errorf("publish %d events: the bus returned %d entries", len(events), len(out.Entries))
	}
	var errs []error
	for i, result := range out.Entries {
		if code := aws.ToString(result.ErrorCode); code != "" {
			errs = append(errs, fmt.Errorf("publish event %s: %s", events[i].EventID, code))
			continue
		}
		taken = append(taken, events[i].EventID)
	}
	return taken, errors.Join(errs...)
}
