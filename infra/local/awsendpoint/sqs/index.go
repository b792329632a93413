package sqs

import "container/heap"

// entry is a message in the index.
type entry struct {
	number uint64
	sentAt int64 // milliseconds of Unix time
	state  state
	hidden bool
	place  int // in its heap
}

// delayed tells a message that waits for its delay from one in flight.
func (e *entry) delayed() bool { return e.hidden && e.state.Receives == e.state.Carried }

// index knows all messages of a queue: the ready ones by number and the hidden
// ones by the time when they come back.
type index struct {
	all    map[uint64]*entry
	ready  entryHeap
	hidden entryHeap
}

func newIndex() *index {
	return &index{
		all:    make(map[uint64]*entry),
		ready:  entryHeap{less: func(a, b *entry) bool { return a.number < b.number }},
		hidden: entryHeap{less: func(a, b *entry) bool { return a.state.VisibleAt < b.state.VisibleAt }},
	}
}

// put files an entry by its state, now being the time that decides.
func (x *index) put(e *entry, now int64) {
	x.all[e.number] = e
	e.hidden = e.state.VisibleAt > now
	heap.Push(x.heapOf(e), e)
}

// take removes an entry from its heap; it must be put or forgotten next.
func (x *index) take(e *entry) { heap.Remove(x.heapOf(e), e.place) }

func (x *index) forget(e *entry) { delete(x.all, e.number) }

// wake makes messages ready whose hiding has ended.
func (x *index) wake(now int64) {
	for len(x.hidden.entries) > 0 && x.hidden.entries[0].state.VisibleAt <= now {
		e := x.hidden.entries[0]
		x.take(e)
		x.put(e, now)
	}
}

// next returns when the next hidden message comes back, if there is one.
func (x *index) next() (at int64, ok bool) {
	if len(x.hidden.entries) == 0 {
		return 0, false
	}
	return x.hidden.entries[0].state.VisibleAt, true
}

func (x *index) heapOf(e *entry) *entryHeap {
	if e.hidden {
		return &x.hidden
	}
	return &x.ready
}

// entryHeap implements heap.Interface; entries know their places.
type entryHeap struct {
	entries []*entry
	less    func(a, b *entry) bool
}

func (h *entryHeap) Len() int           { return len(h.entries) }
func (h *entryHeap) Less(i, j int) bool { return h.less(h.entries[i], h.entries[j]) }

func (h *entryHeap) Swap(i, j int) {
	h.entries[i], h.entries[j] = h.entries[j], h.entries[i]
	h.entries[i].place, h.entries[j].place = i, j
}

func (h *entryHeap) Push(e any) {
	added := e.(*entry)
	added.place = len(h.entries)
	h.entries = append(h.entries, added)
}

func (h *entryHeap) Pop() any {
	last := len(h.entries) - 1
	e := h.entries[last]
	h.entries[last] = nil
	h.entries = h.entries[:last]
	return e
}
