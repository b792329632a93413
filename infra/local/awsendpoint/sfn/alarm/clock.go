// Package alarm calls a function for keys at given times, with one goroutine and a heap for any
// number of keys.
package alarm

import (
	"container/heap"
	"context"
	"sync"
	"time"
)

// maxSleep limits a sleep: after a machine has been suspended, the wall clock is ahead of the
// timer.
const maxSleep = 10 * time.Minute

// Clock holds at most one time for each key.
type Clock struct {
	mu      sync.Mutex
	queue   queue
	byKey   map[string]*entry
	changed chan struct{}
}

// New returns a clock without alarms.
func New() *Clock {
	return &Clock{byKey: map[string]*entry{}, changed: make(chan struct{}, 1)}
}

// Set replaces the time of a key; the zero time removes the key.
func (c *Clock) Set(key string, due time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, known := c.byKey[key]
	switch {
	case due.IsZero() && known:
		heap.Remove(&c.queue, e.index)
		delete(c.byKey, key)
	case due.IsZero():
		return
	case known:
		e.due = due
		heap.Fix(&c.queue, e.index)
	default:
		e = &entry{key: key, due: due}
		c.byKey[key] = e
		heap.Push(&c.queue, e)
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Run calls ring for each due key in the order of their times, until ctx is done. It removes the
// key first.
func (c *Clock) Run(ctx context.Context, ring func(key string)) {
	for {
		key, wait := c.pop(time.Now())
		if key != "" {
			ring(key)
			continue
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-c.changed:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// pop removes the first due key, or returns the time to sleep.
func (c *Clock) pop(now time.Time) (string, time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.queue) == 0 {
		return "", maxSleep
	}
	first := c.queue[0]
	if wait := first.due.Sub(now); wait > 0 {
		return "", min(wait, maxSleep)
	}
	heap.Pop(&c.queue)
	delete(c.byKey, first.key)
	return first.key, 0
}

type entry struct {
	key   string
	due   time.Time
	index int
}

// queue is a heap of entries, the earliest first.
type queue []*entry

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].due.Before(q[j].due) }

func (q queue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

// Push implements heap.Interface.
func (q *queue) Push(x any) {
	e, _ := x.(*entry)
	e.index = len(*q)
	*q = append(*q, e)
}

// Pop implements heap.Interface.
func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
