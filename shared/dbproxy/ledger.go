// Package dbproxy gives functions outside the database's network access to the database. That
// network has no route to the internet, so the functions that call external addresses run
// outside of it and call a function inside of it, ledger, for database operations. Client is
// the side of the caller, Step is the function.
//
// A request names an operation and contains its arguments. Every error is retryable, because
// permanent outcomes are part of the response.
package dbproxy

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/step/fetch"
	"github.com/loadbay/loadbay/shared/step/notify"
)

// Operation is a method of fetch.Ledger or notify.Ledger.
type Operation string

// The operations.
const (
	fetchBegin    Operation = "fetch.begin"
	fetchMeasured Operation = "fetch.measured"
	fetchArrived  Operation = "fetch.arrived"
	fetchFail     Operation = "fetch.fail"
	fetchRelease  Operation = "fetch.release"

	notifyCallDue   Operation = "notify.calldue"
	notifyDue       Operation = "notify.due"
	notifyAttempted Operation = "notify.attempted"
	notifyLetters   Operation = "notify.letters"
	notifyMailed    Operation = "notify.mailed"
	notifyResult    Operation = "notify.result"
)

// Request is the event of the function. Arguments that an operation does not have are omitted.
type Request struct {
	Do    Operation    `json:"do"`
	Job   job.Ref      `json:"job,omitzero"`
	Event job.EventRef `json:"event,omitzero"`

	Bytes   int64       `json:"bytes,omitempty"`
	Failure job.Failure `json:"failure,omitzero"`
	Call    notify.Call `json:"call,omitzero"`
	Attempt job.Attempt `json:"attempt,omitzero"`
	Address string      `json:"address,omitempty"`
	Fault   string      `json:"fault,omitempty"`
	Slot    uuid.UUID   `json:"slot,omitzero"`
}

// Response is the result of the function. Results that an operation does not have are omitted.
type Response struct {
	Order   fetch.Download `json:"order,omitzero"`
	Wanted  bool           `json:"wanted,omitempty"`
	CallDue bool           `json:"callDue,omitempty"`
	Due     *notify.Call   `json:"due,omitempty"`
	Letters []notify.Email `json:"letters,omitempty"`
}

// Step is the ledger function.
type Step struct {
	fetching  fetch.Backend
	notifying notify.Backend
}

// New returns the step.
func New(fetching fetch.Backend, notifying notify.Backend) *Step {
	return &Step{fetching: fetching, notifying: notifying}
}

// Run executes the requested operation.
func (s *Step) Run(ctx context.Context, r Request) (a Response, err error) {
	switch r.Do {
	case fetchBegin:
		a.Order, err = s.fetching.Begin(ctx, r.Job)
	case fetchMeasured:
		a.Wanted, err = s.fetching.RecordSize(ctx, r.Job, r.Bytes)
	case fetchArrived:
		err = s.fetching.HandleUploaded(ctx, r.Job)
	case fetchFail:
		err = s.fetching.Fail(ctx, r.Job, r.Failure)
	case fetchRelease:
		err = s.fetching.Release(ctx, r.Job, r.Slot)
	case notifyCallDue:
		a.CallDue, err = s.notifying.IsCallDue(ctx, r.Event)
	case notifyDue:
		a.Due, err = s.notifying.NextCall(ctx, r.Event)
	case notifyAttempted:
		err = s.notifying.RecordAttempt(ctx, r.Event, r.Call, r.Attempt)
	case notifyLetters:
		a.Letters, err = s.notifying.PendingEmails(ctx, r.Event)
	case notifyMailed:
		err = s.notifying.RecordEmail(ctx, r.Event, r.Address, r.Fault)
	case notifyResult:
		err = s.notifying.WriteResult(ctx, r.Event)
	default:
		err = fmt.Errorf("unknown operation %q", r.Do)
	}
	return a, err
}

// Function invokes the ledger function with an event and waits for its response.
type Function interface {
	Call(ctx context.Context, event []byte) (answer []byte, err error)
}

// Client implements the Ledger interfaces by calling the function.
type Client struct{ function Function }

// NewClient returns a client of the function.
func NewClient(function Function) *Client { return &Client{function: function} }

func (c *Client) call(ctx context.Context, r Request) (a Response, err error) {
	event, err := json.Marshal(r)
	if err != nil {
		return a, fmt.Errorf("ledger: %s: %w", r.Do, err)
	}
	answer, err := c.function.Call(ctx, event)
	if err == nil {
		err = json.Unmarshal(answer, &a)
	}
	if err != nil {
		return a, fmt.Errorf("ledger: %s: %w", r.Do, err)
	}
	return a, nil
}
