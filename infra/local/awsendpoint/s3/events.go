package s3

import (
	"context"
	"fmt"
	"time"
)

// The delays between attempts to resolve or deliver, and the time after which they stop, which is
// EventBridge's.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	retryTimeout  = 24 * time.Hour
)

// recordCreated records the event of an object that the child has just stored, and starts its
// delivery.
func (g *Gateway) recordCreated(ctx context.Context, c *creation) error {
	event, found, err := g.objects.describe(ctx, c.bucket, c.key)
	if err != nil && c.id != 0 {
		g.resolveInBackground(c.id) // the intent is safe in the journal
		return nil
	}
	if err != nil {
		return err
	}
	if !found { // deleted meanwhile; S3 would announce it, but its properties are unknown
		return g.journal.remove(c.id)
	}
	event.Reason = c.reason
	id, event, err := g.journal.recordEvent(c.id, event)
	if err != nil {
		return err
	}
	g.runInBackground(func() { g.deliver(id, event) })
	return nil
}

// resumeJournal processes the entries that a previous run left in the journal.
func (g *Gateway) resumeJournal() error {
	ids, err := g.journal.all()
	if err != nil {
		return fmt.Errorf("read journal of events: %w", err)
	}
	for _, id := range ids {
		g.resolveInBackground(id)
	}
	return nil
}

// runInBackground starts background work, unless the gateway has been closed.
func (g *Gateway) runInBackground(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped.Err() == nil {
		g.background.Go(do)
	}
}

// resolveInBackground determines the outcome of an entry and delivers its event.
func (g *Gateway) resolveInBackground(id uint64) {
	g.runInBackground(func() {
		g.retry("settle", id, time.Now(), func(ctx context.Context) error {
			e, found, err := g.journal.get(id)
			if err != nil || !found {
				return err
			}
			if e.Event == nil {
				return g.resolveIntent(ctx, id, e.Intent)
			}
			g.runInBackground(func() { g.deliver(id, *e.Event) })
			return nil
		})
	})
}

// resolveIntent decides an intent with an unknown outcome: the object exists and is not older
// than the upload, or the upload failed. Times have a resolution of seconds, so an older object
// may be announced again, but none is missed.
func (g *Gateway) resolveIntent(ctx context.Context, id uint64, i intent) error {
	event, found, err := g.objects.describe(ctx, i.Bucket, i.Key)
	if err != nil {
		return err
	}
	if !found || event.Time.Before(i.At.Truncate(time.Second)) {
		return g.journal.remove(id)
	}
	event.Reason = i.Reason
	id, event, err = g.journal.recordEvent(id, event)
	if err != nil {
		return err
	}
	g.runInBackground(func() { g.deliver(id, event) })
	return nil
}

// deliver delivers an event until it is accepted.
func (g *Gateway) deliver(id uint64, event ObjectCreated) {
	g.retry("deliver", id, event.Time, func(ctx context.Context) error {
		select {
		case g.slots <- struct{}{}:
			defer func() { <-g.slots }()
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := g.config.Created(ctx, event); err != nil {
			return err
		}
		return g.journal.remove(id)
	})
}

// retry repeats an operation until it succeeds, the gateway is closed or the event is too old.
func (g *Gateway) retry(what string, id uint64, begun time.Time, do func(context.Context) error) {
	for pause := minRetryDelay; ; pause = min(2*pause, maxRetryDelay) {
		err := do(g.stopped)
		if err == nil || g.stopped.Err() != nil {
			return
		}
		log := g.config.Logger.With("entry", id, "error", err)
		if time.Since(begun) > retryTimeout {
			log.Error("local S3: failed permanently: " + what + " an event")
			if err := g.journal.remove(id); err != nil {
				log.Error("local S3: drop an event", "cause", err)
			}
			return
		}
		log.Warn("local S3: "+what+" an event; retrying", "pause", pause)
		select {
		case <-time.After(pause):
		case <-g.stopped.Done():
			return
		}
	}
}
