package dbproxy

import (
	"context"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/step/fetch"
	"github.com/loadbay/loadbay/shared/step/notify"
)

var (
	_ fetch.Backend  = (*Client)(nil)
	_ notify.Backend = (*Client)(nil)
)

// Begin implements fetch.Ledger.
func (c *Client) Begin(ctx context.Context, ref job.Ref) (fetch.Download, error) {
	a, err := c.call(ctx, Request{Do: fetchBegin, Job: ref})
	return a.Order, err
}

// RecordSize implements fetch.Ledger.
func (c *Client) RecordSize(ctx context.Context, ref job.Ref, bytes int64) (wanted bool, err error) {
	a, err := c.call(ctx, Request{Do: fetchMeasured, Job: ref, Bytes: bytes})
	return a.Wanted, err
}

// HandleUploaded implements fetch.Ledger.
func (c *Client) HandleUploaded(ctx context.Context, ref job.Ref) error {
	_, err := c.call(ctx, Request{Do: fetchArrived, Job: ref})
	return err
}

// Fail implements fetch.Ledger.
func (c *Client) Fail(ctx context.Context, ref job.Ref, why job.Failure) error {
	_, err := c.call(ctx, Request{Do: fetchFail, Job: ref, Failure: why})
	return err
}

// Release implements fetch.Ledger.
func (c *Client) Release(ctx context.Context, ref job.Ref, slot uuid.UUID) error {
	_, err := c.call(ctx, Request{Do: fetchRelease, Job: ref, Slot: slot})
	return err
}

// IsCallDue implements notify.Ledger.
func (c *Client) IsCallDue(ctx context.Context, ref job.EventRef) (bool, error) {
	a, err := c.call(ctx, Request{Do: notifyCallDue, Event: ref})
	return a.CallDue, err
}

// NextCall implements notify.Ledger.
func (c *Client) NextCall(ctx context.Context, ref job.EventRef) (*notify.Call, error) {
	a, err := c.call(ctx, Request{Do: notifyDue, Event: ref})
	return a.Due, err
}

// RecordAttempt implements notify.Ledger. The body of the call, which is large, is not sent back.
func (c *Client) RecordAttempt(ctx context.Context, ref job.EventRef, call notify.Call, a job.Attempt) error {
	call.Body, call.Secrets = "", nil
	_, err := c.call(ctx, Request{Do: notifyAttempted, Event: ref, Call: call, Attempt: a})
	return err
}

// PendingEmails implements notify.Ledger.
func (c *Client) PendingEmails(ctx context.Context, ref job.EventRef) ([]notify.Email, error) {
	a, err := c.call(ctx, Request{Do: notifyLetters, Event: ref})
	return a.Letters, err
}

// RecordEmail implements notify.Ledger.
func (c *Client) RecordEmail(ctx context.Context, ref job.EventRef, address, fault string) error {
	_, err := c.call(ctx, Request{Do: notifyMailed, Event: ref, Address: address, Fault: fault})
	return err
}

// WriteResult implements notify.Ledger.
func (c *Client) WriteResult(ctx context.Context, ref job.EventRef) error {
	_, err := c.call(ctx, Request{Do: notifyResult, Event: ref})
	return err
}
