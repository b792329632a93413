package dbproxy

import (
	"context"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/step/fetch"
	"github.com/loadbay/loadbay/shared/step/notify"
)

var (
	_ fetch.Ledger  = (*Client)(nil)
	_ notify.Ledger = (*Client)(nil)
)

// Begin implements fetch.Ledger.
func (c *Client) Begin(ctx context.Context, ref job.Ref) (fetch.Order, error) {
	a, err := c.ask(ctx, Request{Do: fetchBegin, Job: ref})
	return a.Order, err
}

// Measured implements fetch.Ledger.
func (c *Client) Measured(ctx context.Context, ref job.Ref, bytes int64) (wanted bool, err error) {
	a, err := c.ask(ctx, Request{Do: fetchMeasured, Job: ref, Bytes: bytes})
	return a.Wanted, err
}

// Arrived implements fetch.Ledger.
func (c *Client) Arrived(ctx context.Context, ref job.Ref) error {
	_, err := c.ask(ctx, Request{Do: fetchArrived, Job: ref})
	return err
}

// Fail implements fetch.Ledger.
func (c *Client) Fail(ctx context.Context, ref job.Ref, why job.Failure) error {
	_, err := c.ask(ctx, Request{Do: fetchFail, Job: ref, Failure: why})
	return err
}

// Due implements notify.Ledger.
func (c *Client) Due(ctx context.Context, ref job.EventRef) (*notify.Call, error) {
	a, err := c.ask(ctx, Request{Do: notifyDue, Event: ref})
	return a.Due, err
}

// Attempted implements notify.Ledger. The body of the call, which is large, is not sent back.
func (c *Client) Attempted(ctx context.Context, ref job.EventRef, call notify.Call, a job.Attempt) error {
	call.Body, call.Secrets = "", nil
	_, err := c.ask(ctx, Request{Do: notifyAttempted, Event: ref, Call: call, Attempt: a})
	return err
}

// Letters implements notify.Ledger.
func (c *Client) Letters(ctx context.Context, ref job.EventRef) ([]notify.Letter, error) {
	a, err := c.ask(ctx, Request{Do: notifyLetters, Event: ref})
	return a.Letters, err
}

// Mailed implements notify.Ledger.
func (c *Client) Mailed(ctx context.Context, ref job.EventRef, address, fault string) error {
	_, err := c.ask(ctx, Request{Do: notifyMailed, Event: ref, Address: address, Fault: fault})
	return err
}

// Result implements notify.Ledger.
func (c *Client) Result(ctx context.Context, ref job.EventRef) error {
	_, err := c.ask(ctx, Request{Do: notifyResult, Event: ref})
	return err
}
