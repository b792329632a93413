package sqs

import (
	"fmt"
	"sync"
	"time"

	"go.etcd.io/bbolt"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// queue is one queue: its messages in the database, an index of them, and a
// channel that is closed when a message becomes ready.
type queue struct {
	config      blueprint.Queue
	store       store
	created     time.Time
	deadLetters *queue // receives undeliverable messages; nil for none

	mu       sync.Mutex // guards the fields below; acquired before the lock of deadLetters
	settings settings
	index    *index
	ready    chan struct{}
	purged   time.Time
}

func openQueue(db *bbolt.DB, config blueprint.Queue) (*queue, error) {
	q := &queue{config: config, store: store{db: db, name: config.Name}, index: newIndex(), ready: make(chan struct{})}
	var err error
	if q.created, err = q.store.open(); err != nil {
		return nil, err
	}
	if q.settings, err = q.store.settings(); err != nil {
		return nil, err
	}
	now := time.Now().UnixMilli()
	err = q.store.forEach(func(number uint64, message sentMessage, st messageState) {
		q.index.insert(&entry{sequence: number, group: message.Group, sentAt: message.At, state: st}, now)
	})
	return q, err
}

// wakeReceivers wakes all receivers that wait for a message. The caller holds the lock.
func (q *queue) wakeReceivers() {
	close(q.ready)
	q.ready = make(chan struct{})
}

// send stores all messages or none.
func (q *queue) send(messages []sentMessage, delays []time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	entries := make([]*entry, len(messages))
	err := q.store.db.Update(func(tx *bbolt.Tx) error {
		in := q.store.in(tx)
		for i, message := range messages {
			st := messageState{VisibleAt: message.At + delays[i].Milliseconds()}
			number, err := in.add(message, st)
			if err != nil {
				return err
			}
			entries[i] = &entry{sequence: number, group: message.Group, sentAt: message.At, state: st}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("send to %s: %w", q.config.Name, err)
	}
	now := time.Now().UnixMilli()
	for _, e := range entries {
		q.index.insert(e, now)
	}
	q.wakeReceivers() // also for delayed messages: waiting receivers need the new time
	return nil
}

// defaultDelay returns the delay of messages without their own.
func (q *queue) defaultDelay() time.Duration {
	q.mu.Lock()
	defer q.mu.Unlock()
	return seconds(q.settings.DelaySeconds)
}

func (q *queue) update(to settings) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.store.change(to); err != nil {
		return fmt.Errorf("change %s: %w", q.config.Name, err)
	}
	q.settings = to
	return nil
}

// remove deletes the message of a receipt. It succeeds without a change if the message
// has been received again or no longer exists.
func (q *queue) remove(r receipt) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.index.all[r.sequence]
	if e == nil || e.state.Receives != r.receives {
		return nil
	}
	err := q.store.db.Update(func(tx *bbolt.Tx) error { return q.store.in(tx).remove(e.sequence) })
	if err != nil {
		return fmt.Errorf("delete from %s: %w", q.config.Name, err)
	}
	q.index.remove(e)
	q.index.drop(e)
	return nil
}

// changeVisibility changes when a message in flight becomes visible again, counted from now.
func (q *queue) changeVisibility(r receipt, visibility time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.setVisibility(r, visibility); err != nil {
		return err
	}
	q.index.all[r.sequence].postponed = r.receives
	return nil
}

// hide is changeVisibility for a message with a receiver that has not changed it.
func (q *queue) hide(r receipt, visibility time.Duration) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if e := q.index.all[r.sequence]; e != nil && e.postponed == r.receives {
		return nil
	}
	return q.setVisibility(r, visibility)
}

// setVisibility is changeVisibility for a caller that holds the lock.
func (q *queue) setVisibility(r receipt, visibility time.Duration) error {
	now := time.Now()
	q.index.releaseDue(now.UnixMilli())
	e := q.index.all[r.sequence]
	if e == nil || e.state.Receives != r.receives {
		return invalidValue("ReceiptHandle", r.handle(), "Message does not exist or is not available for visibility timeout change")
	}
	if !e.hidden {
		return newError(codeNotInFlight, "The message is not in flight.")
	}
	changed := e.state
	changed.VisibleAt = now.Add(visibility).UnixMilli()
	err := q.store.db.Update(func(tx *bbolt.Tx) error { return q.store.in(tx).setState(e.sequence, changed) })
	if err != nil {
		return fmt.Errorf("change visibility in %s: %w", q.config.Name, err)
	}
	q.index.remove(e)
	e.state = changed
	q.index.insert(e, now.UnixMilli())
	q.wakeReceivers()
	return nil
}

// purge deletes every message.
func (q *queue) purge() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if time.Since(q.purged) < purgeEvery {
		return newError(codePurging, "Only one PurgeQueue operation on %s is allowed every 60 seconds.", q.config.Name)
	}
	err := q.store.db.Update(func(tx *bbolt.Tx) error {
		in := q.store.in(tx)
		for number := range q.index.all {
			if err := in.remove(number); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("purge %s: %w", q.config.Name, err)
	}
	q.index, q.purged = newIndex(), time.Now()
	return nil
}

// counts holds the number of messages per state.
type counts struct{ ready, inFlight, delayed int }

func (q *queue) countMessages() (c counts) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now().UnixMilli()
	q.index.releaseDue(now)
	oldest := now - q.config.Retention.Milliseconds()
	for _, e := range q.index.all {
		switch {
		case e.sentAt < oldest:
		case e.delayed():
			c.delayed++
		case e.hidden:
			c.inFlight++
		default:
			c.ready++
		}
	}
	return c
}
