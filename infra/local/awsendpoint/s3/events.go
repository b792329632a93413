package s3

import (
	"context"
	"fmt"
	"time"
)

// Pauses between attempts to settle or deliver, and when to give up: as long
// as EventBridge tries.
const (
	minRetryDelay = 100 * time.Millisecond
	maxRetryDelay = 30 * time.Second
	retryTimeout  = 24 * time.Hour
)

// recordCreated records the event of an object that the child has just stored, and
// begins to deliver it.
func (g *Gateway) recordCreated(ctx context.Context, c *creation) error {
	event, found, err := g.objects.describe(ctx, c.bucket, c.key)
	if err != nil && c.id != 0 {
		g.resolveInBackground(c.id) // the intent is safe in the journal
		return nil
	}
	if err != nil {
		return err
	}
	if !found { // deleted meanwhile: S3 would have announced it, but as what?
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

// resumeJournal takes up what a former run left in the journal.
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

// runInBackground runs work in the background, unless the gateway has been closed.
func (g *Gateway) runInBackground(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped.Err() == nil {
		g.background.Go(do)
	}
}

// resolveInBackground finds out what became of an entry and delivers its event.
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

// resolveIntent decides an intent whose outcome was not seen: the object is there and
// not older than the upload, or the upload failed. Times have whole seconds, so
// that an older object can be announced again; none is missed.
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

// deliver hands an event over until it is taken.
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

// retry does something until it succeeds, the gateway is closed or the event
// is too old to matter.
func (g *Gateway) retry(what string, id uint64, begun time.Time, do func(context.Context) error) {
	for pause := minRetryDelay; ; pause = min(2*pause, maxRetryDelay) {
		err := do(g.stopped)
		if err == nil || g.stopped.Err() != nil {
			return
		}
		log := g.config.Logger.With("entry", id, "error", err)
		if time.Since(begun) > retryTimeout {
			log.Error("local S3: gave up: " + what + " an event")
			if err := g.journal.remove(id); err != nil {
				log.Error("local S3: drop an event", "cause", err)
			}
			return
		}
		log.Warn("local S3: "+what+" an event; trying again", "pause", pause)
		select {
		case <-time.After(pause):
		case <-g.stopped.Done():
			return
		}
	}
}
