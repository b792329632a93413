package lambdahost

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// ErrRetriesExhausted means that a function failed every time it was invoked with an event.
var ErrRetriesExhausted = errors.New("gave up")

// Deliver invokes a function with an event as EventBridge and S3 do: it waits for
// a free instance and retries after a function error, twice unless Config.Retries is
// set. It returns nil if the function succeeded, ErrRetriesExhausted if it failed
// every time, and other errors if it was not run.
func (h *Host) Deliver(ctx context.Context, function string, event []byte) error {
	for attempt := 0; ; attempt++ {
		output, functionError, err := h.InvokeWhenFree(ctx, function, event)
		if err != nil {
			return fmt.Errorf("deliver an event to %s: %w", function, err)
		}
		if functionError == "" {
			return nil
		}
		if attempt == len(h.config.Retries) {
			return fmt.Errorf("deliver an event to %s: %w after %d attempts: %s", function, ErrRetriesExhausted, attempt+1, output)
		}
		if err := h.wait(ctx, h.config.Retries[attempt]); err != nil {
			return fmt.Errorf("deliver an event to %s: %w", function, err)
		}
	}
}

// wait waits for d, or until ctx is done or the host closes.
func (h *Host) wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-h.stopping:
		return errStopping()
	}
}

// InvokeAsync is Lambda's invocation type "Event": accepted now, delivered in
// the background. Unlike on AWS, an accepted event is lost if the process ends.
func (h *Host) InvokeAsync(ctx context.Context, function string, event []byte) error {
	if _, err := h.findPool(function); err != nil {
		return err
	}
	if !h.track() {
		return errStopping()
	}
	go func() {
		defer h.running.Done()
		if err := h.Deliver(context.WithoutCancel(ctx), function, event); err != nil {
			h.config.Logger.Error("an asynchronous invocation failed", "function", function, "error", err)
		}
	}()
	return nil
}
