// Package eventbridge implements EventBridge on one machine, as far as Loadbay uses it: PutEvents
// on buses of the blueprint with rules that send complete events to queues by source. Everything
// else is rejected with an error that names it. Events are in the queues when PutEvents responds.
//
// Source: https://docs.aws.amazon.com/eventbridge/latest/APIReference/API_PutEvents.html
//
// Tested by infra/tests/conformance: its API, through AWS's SDK.
package eventbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// Queues receives the events of rules, and returns the id of the message.
type Queues interface {
	Send(queue, body string) (id string, err error)
}

// Config contains the sources and targets of events.
type Config struct {
	Bus             blueprint.EventBus
	Queues          Queues
	Account, Region string
	// Published is called with each event that PutEvents has accepted; nil for none.
	Published func(event []byte)
}

// Service is one account's EventBridge.
type Service struct{ config Config }

// New returns the service.
func New(c Config) *Service { return &Service{config: c} }

const serviceName = "EventBridge"

// Limits of PutEvents.
const (
	maxEntries = 10
	maxSize    = 1 << 20 // bytes of all entries
)

// Target is the service's name on the wire.
func (s *Service) Target() string { return "AWSEvents" }

// Call runs one operation of the wire protocol.
func (s *Service) Call(_ context.Context, operation string, input []byte) (any, error) {
	if operation != "PutEvents" {
		return nil, awsjson.Unsupported(serviceName, operation)
	}
	var in putInput
	if err := awsjson.DecodeStrict(serviceName, input, &in); err != nil {
		return nil, err
	}
	return s.putEvents(in)
}

type putInput struct{ Entries []entry }

// entry is one event in PutEvents. Time is in seconds since 1970.
type entry struct {
	Time                                     *float64
	Source, DetailType, Detail, EventBusName string
	Resources                                []string
	TraceHeader                              string
}

type putOutput struct {
	FailedEntryCount int
	Entries          []result
}

// result is the result of an entry: an id, or an error.
type result struct {
	EventID      string `json:"EventId,omitempty"`
	ErrorCode    string `json:",omitempty"`
	ErrorMessage string `json:",omitempty"`
}

func (s *Service) putEvents(in putInput) (putOutput, error) {
	size := 0
	for _, e := range in.Entries {
		size += len(e.Source) + len(e.DetailType) + len(e.Detail)
	}
	if len(in.Entries) < 1 || len(in.Entries) > maxEntries {
		return putOutput{}, awsjson.Errorf("ValidationException", "%d entries, not 1 to %d", len(in.Entries), maxEntries)
	}
	if size > maxSize {
		return putOutput{}, awsjson.Errorf("ValidationException", "Total size of the entries in the request is over the limit.")
	}
	out := putOutput{Entries: make([]result, len(in.Entries))}
	for i, e := range in.Entries {
		out.Entries[i] = s.route(e)
		if out.Entries[i].ErrorCode != "" {
			out.FailedEntryCount++
		}
	}
	return out, nil
}

// route sends an event to the targets of the matching rules.
func (s *Service) route(e entry) result {
	var detail map[string]json.RawMessage
	switch {
	case e.EventBusName != s.config.Bus.Name:
		return result{ErrorCode: "ResourceNotFoundException", ErrorMessage: fmt.Sprintf("Event bus %s does not exist.", e.EventBusName)}
	case e.Source == "" || e.DetailType == "":
		return result{ErrorCode: "InvalidArgument", ErrorMessage: "Parameter Source or DetailType is not valid. Reason: it is a required argument."}
	case json.Unmarshal([]byte(e.Detail), &detail) != nil:
		return result{ErrorCode: "MalformedDetail", ErrorMessage: "Detail is malformed."}
	}
	id := uuid.NewString()
	event, err := s.newEvent(id, e)
	for _, rule := range s.config.Bus.Rules {
		if err == nil && rule.Source == e.Source {
			_, err = s.config.Queues.Send(rule.Queue, string(event))
		}
	}
	if err != nil {
		return result{ErrorCode: "InternalFailure", ErrorMessage: err.Error()}
	}
	if s.config.Published != nil {
		s.config.Published(event)
	}
	return result{EventID: id}
}

// newEvent returns an event in the format that targets receive.
// https://docs.aws.amazon.com/eventbridge/latest/userguide/eb-events-structure.html
func (s *Service) newEvent(id string, e entry) ([]byte, error) {
	now := time.Now()
	if e.Time != nil {
		whole, fraction := math.Modf(*e.Time)
		now = time.Unix(int64(whole), int64(fraction*float64(time.Second)))
	}
	resources := e.Resources
	if resources == nil {
		resources = []string{}
	}
	event, err := json.Marshal(events.EventBridgeEvent{
		Version: "0", ID: id, DetailType: e.DetailType, Source: e.Source, AccountID: s.config.Account, Region: s.config.Region,
		Time: now.UTC().Truncate(time.Second), Resources: resources, Detail: json.RawMessage(e.Detail),
	})
	if err != nil {
		return nil, fmt.Errorf("event %s: %w", id, err)
	}
	return event, nil
}
