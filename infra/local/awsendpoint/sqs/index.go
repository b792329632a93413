package sqs

import "container/heap"

// entry is a message in the index.
type entry struct {
	number uint64
	group  string // of its tenant
	sentAt int64  // milliseconds of Unix time
	state  state
	hidden bool
	taken  bool // off the index, to be delivered
	place  int  // in its heap
}

// delayed reports whether a hidden message waits for its delay; if not, it is in flight.
func (e *entry) delayed() bool { return e.hidden && e.state.Receives == e.state.Carried }

func (e *entry) inFlight() bool { return e.taken || e.hidden && !e.delayed() }

// index knows all messages of a queue: the ready ones by tenant and number and
// the hidden ones by the time when they come back.
type index struct {
	all    map[uint64]*entry
	ready  tenants
	hidden entryHeap
}

func newIndex() *index {
	return &index{
		all:    make(map[uint64]*entry),
		ready:  newTenants(),
		hidden: entryHeap{less: func(a, b *entry) bool { return a.state.VisibleAt < b.state.VisibleAt }},
	}
}

// put files an entry by its state, now being the time that decides.
func (x *index) put(e *entry, now int64) {
	x.land(e)
	x.all[e.number] = e
	if e.hidden = e.state.VisibleAt > now; !e.hidden {
		x.ready.add(e)
		return
	}
	heap.Push(&x.hidden, e)
	if e.inFlight() {
		x.ready.fly(e, 1)
	}
}

// take removes an entry from its heap; it must be put or forgotten next.
func (x *index) take(e *entry) {
	if !e.hidden {
		x.ready.remove(e)
		return
	}
	heap.Remove(&x.hidden, e.place)
	x.land(e)
	e.hidden = false
}

// deliver takes the ready message whose turn it is; nil if there is none.
func (x *index) deliver() *entry {
	e := x.ready.next()
	if e != nil {
		e.taken = true
	}
	return e
}

// land ends an entry's flight, if it is in flight.
func (x *index) land(e *entry) {
	if e.inFlight() {
		x.ready.fly(e, -1)
	}
	e.taken = false
}

// forget removes an entry that was taken or delivered.
func (x *index) forget(e *entry) {
	x.land(e)
	delete(x.all, e.number)
}

// wake makes messages ready whose hiding has ended.
func (x *index) wake(now int64) {
	for len(x.hidden.entries) > 0 && x.hidden.entries[0].state.VisibleAt <= now {
		e := x.hidden.entries[0]
		x.take(e)
		x.put(e, now)
	}
}

// next returns when the next hidden message comes back, if there is one.
func (x *index) next() (due int64, ok bool) {
	if len(x.hidden.entries) == 0 {
		return 0, false
	}
	return x.hidden.entries[0].state.VisibleAt, true
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
