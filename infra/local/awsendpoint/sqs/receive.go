package sqs

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// receivedMessage is a message being delivered to a receiver.
type receivedMessage struct {
	sentMessage
	messageState
	receipt receipt
}

// receive returns up to most messages and hides them for visibility. If none is
// ready, it waits up to wait for the first one.
func (q *queue) receive(ctx context.Context, closed <-chan struct{}, most int, visibility, wait time.Duration) ([]receivedMessage, error) {
	deadline := time.Now().Add(wait)
	for {
		messages, ready, next, err := q.takeReady(most, visibility)
		if err != nil || len(messages) > 0 {
			return messages, err
		}
		pause := time.Until(deadline)
		if pause <= 0 {
			return nil, nil
		}
		if !next.IsZero() {
			pause = min(pause, time.Until(next))
		}
		timer := time.NewTimer(pause)
		select {
		case <-ready:
		case <-timer.C:
		case <-closed:
			timer.Stop()
			return nil, nil
		case <-ctx.Done():
			timer.Stop()
			return nil, ctx.Err()
		}
		timer.Stop()
	}
}

// takeReady returns up to most ready messages. If there are none, it returns a channel that
// is closed when this changes, and the time at which it may change without an event.
func (q *queue) takeReady(most int, visibility time.Duration) (messages []receivedMessage, ready <-chan struct{}, next time.Time, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	now := time.Now()
	q.index.releaseDue(now.UnixMilli())
	if p := q.pickReady(most, now); p.any() {
		if messages, err = q.applyPicked(p, now, visibility); err != nil {
			return nil, nil, time.Time{}, fmt.Errorf("receive from %s: %w", q.config.Name, err)
		}
	}
	if due, ok := q.index.nextHidden(); ok {
		next = time.UnixMilli(due)
	}
	return messages, q.ready, next, nil
}

// pickedMessages groups ready messages by what happens to them next.
type pickedMessages struct{ deliver, redrive, expire []*entry }

func (p *pickedMessages) any() bool { return len(p.deliver)+len(p.redrive)+len(p.expire) > 0 }

// pickReady removes messages from the index until most of them can be delivered.
func (q *queue) pickReady(most int, now time.Time) *pickedMessages {
	p := new(pickedMessages)
	oldest := now.Add(-q.config.Retention).UnixMilli()
	for len(p.deliver) < most {
		e := q.index.nextReady()
		if e == nil {
			break
		}
		switch {
		case e.sentAt < oldest:
			p.expire = append(p.expire, e)
		case q.deadLetters != nil && int(e.state.Receives-e.state.Carried) >= q.config.MaxReceive:
			p.redrive = append(p.redrive, e)
		default:
			p.deliver = append(p.deliver, e)
		}
	}
	return p
}

// applyPicked carries out the decisions of pickReady in one transaction.
func (q *queue) applyPicked(p *pickedMessages, now time.Time, visibility time.Duration) ([]receivedMessage, error) {
	if len(p.redrive) > 0 {
		q.deadLetters.mu.Lock()
		defer q.deadLetters.mu.Unlock()
	}
	var messages []receivedMessage
	var moved []*entry
	err := q.store.db.Update(func(tx *bbolt.Tx) error {
		var faults [3]error
		messages, faults[0] = q.deliver(tx, p.deliver, now, visibility)
		moved, faults[1] = q.moveToDeadLetters(tx, p.redrive)
		faults[2] = deleteMessages(q.store.in(tx), p.expire)
		return errors.Join(faults[:]...)
	})
	if err != nil {
		for _, entries := range [][]*entry{p.deliver, p.redrive, p.expire} {
			q.reinsert(entries, now)
		}
		return nil, err
	}
	for i, e := range p.deliver {
		e.state = messages[i].messageState
	}
	q.reinsert(p.deliver, now)
	for _, entries := range [][]*entry{p.redrive, p.expire} {
		for _, e := range entries {
			q.index.drop(e)
		}
	}
	if len(moved) > 0 {
		q.deadLetters.reinsert(moved, now)
		q.deadLetters.wakeReceivers()
	}
	return messages, nil
}

func (q *queue) reinsert(entries []*entry, now time.Time) {
	for _, e := range entries {
		q.index.insert(e, now.UnixMilli())
	}
}

// deliver increments the receive count of each message and hides it.
func (q *queue) deliver(tx *bbolt.Tx, entries []*entry, now time.Time, visibility time.Duration) ([]receivedMessage, error) {
	in := q.store.in(tx)
	messages := make([]receivedMessage, len(entries))
	for i, e := range entries {
		message, err := in.get(e.sequence)
		if err != nil {
			return nil, err
		}
		st := e.state
		st.Receives++
		st.VisibleAt = now.Add(visibility).UnixMilli()
		if st.FirstReceived == 0 {
			st.FirstReceived = now.UnixMilli()
		}
		if err := in.setState(e.sequence, st); err != nil {
			return nil, err
		}
		messages[i] = receivedMessage{sentMessage: message, messageState: st, receipt: receipt{queue: q.config.Name, sequence: e.sequence, receives: st.Receives}}
	}
	return messages, nil
}

// moveToDeadLetters moves messages that were received too often to the dead-letter queue.
// They keep their ids, their sent time and their receive count.
func (q *queue) moveToDeadLetters(tx *bbolt.Tx, entries []*entry) ([]*entry, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	from, to := q.store.in(tx), q.deadLetters.store.in(tx)
	moved := make([]*entry, len(entries))
	for i, e := range entries {
		message, err := from.get(e.sequence)
		if err != nil {
			return nil, err
		}
		message.Source = ARN(q.config.Name)
		st := e.state
		st.VisibleAt, st.Carried = 0, st.Receives
		number, err := to.add(message, st)
		if err != nil {
			return nil, err
		}
		moved[i] = &entry{sequence: number, group: e.group, sentAt: e.sentAt, state: st}
	}
	return moved, deleteMessages(from, entries)
}

func deleteMessages(in buckets, entries []*entry) error {
	for _, e := range entries {
		if err := in.remove(e.sequence); err != nil {
			return err
		}
	}
	return nil
}
