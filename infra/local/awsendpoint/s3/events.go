package s3

import (
	"context"
	"fmt"
	"time"
)

// Pauses between attempts to settle or deliver, and when to give up: as long
// as EventBridge tries.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 30 * time.Second
	keepTrying = 24 * time.Hour
)

// raise records the event of an object that the child has just stored, and
// begins to deliver it.
func (g *Gateway) raise(ctx context.Context, c *creation) error {
	event, found, err := g.objects.describe(ctx, c.bucket, c.key)
	if err != nil && c.id != 0 {
		g.settleLater(c.id) // the intent is safe in the journal
		return nil
	}
	if err != nil {
		return err
	}
	if !found { // deleted meanwhile: S3 would have announced it, but as what?
		return g.journal.drop(c.id)
	}
	event.Reason = c.reason
	id, event, err := g.journal.raise(c.id, event)
	if err != nil {
		return err
	}
	g.later(func() { g.deliver(id, event) })
	return nil
}

// resume takes up what a former run left in the journal.
func (g *Gateway) resume() error {
	ids, err := g.journal.all()
	if err != nil {
		return fmt.Errorf("read journal of events: %w", err)
	}
	for _, id := range ids {
		g.settleLater(id)
	}
	return nil
}

// later runs work in the background, unless the gateway has been closed.
func (g *Gateway) later(do func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.stopped.Err() == nil {
		g.work.Go(do)
	}
}

// settleLater finds out what became of an entry and delivers its event.
func (g *Gateway) settleLater(id uint64) {
	g.later(func() {
		g.retry("settle", id, time.Now(), func(ctx context.Context) error {
			e, found, err := g.journal.get(id)
			if err != nil || !found {
				return err
			}
			if e.Event == nil {
				return g.settle(ctx, id, e.Intent)
			}
			g.later(func() { g.deliver(id, *e.Event) })
			return nil
		})
	})
}

// settle decides an intent whose outcome was not seen: the object is there and
// not older than the upload, or the upload failed. Times have whole seconds, so
// that an older object can be announced again; none is missed.
func (g *Gateway) settle(ctx context.Context, id uint64, i intent) error {
	event, found, err := g.objects.describe(ctx, i.Bucket, i.Key)
	if err != nil {
		return err
	}
	if !found || event.Time.Before(i.At.Truncate(time.Second)) {
		return g.journal.drop(id)
	}
	event.Reason = i.Reason
	id, event, err = g.journal.raise(id, event)
	if err != nil {
		return err
	}
	g.later(func() { g.deliver(id, event) })
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
		return g.journal.drop(id)
	})
}

// retry does something until it succeeds, the gateway is closed or the event
// is too old to matter.
func (g *Gateway) retry(what string, id uint64, begun time.Time, do func(context.Context) error) {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		err := do(g.stopped)
		if err == nil || g.stopped.Err() != nil {
			return
		}
		log := g.config.Logger.With("entry", id, "error", err)
		if time.Since(begun) > keepTrying {
			log.Error("local S3: gave up: " + what + " an event")
			if err := g.journal.drop(id); err != nil {
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
