package sqs

import "container/heap"

// entry is a message in the index.
type entry struct {
	sequence  uint64
	group     string // of the tenant
	sentAt    int64  // milliseconds of Unix time
	state     messageState
	hidden    bool
	removed   bool // no longer in a heap, about to be delivered
	heapIndex int  // position in its heap
	// postponed is the number of receives after which its receiver has changed when it becomes visible
	// again; 0 if it has not.
	postponed uint32
}

// delayed reports whether a hidden message waits for its delay; otherwise it is in flight.
func (e *entry) delayed() bool { return e.hidden && e.state.Receives == e.state.Carried }

func (e *entry) inFlight() bool { return e.removed || e.hidden && !e.delayed() }

// index holds all messages of a queue: ready messages by tenant and number, hidden
// messages by the time at which they become visible.
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

// insert adds an entry according to its state at the time now.
func (x *index) insert(e *entry, now int64) {
	x.endFlight(e)
	x.all[e.sequence] = e
	if e.hidden = e.state.VisibleAt > now; !e.hidden {
		x.ready.add(e)
		return
	}
	heap.Push(&x.hidden, e)
	if e.inFlight() {
		x.ready.addInFlight(e, 1)
	}
}

// remove removes an entry from its heap; it must be inserted or dropped next.
func (x *index) remove(e *entry) {
	if !e.hidden {
		x.ready.remove(e)
		return
	}
	heap.Remove(&x.hidden, e.heapIndex)
	x.endFlight(e)
	e.hidden = false
}

// nextReady removes and returns the next ready message, or nil if there is none.
func (x *index) nextReady() *entry {
	e := x.ready.pop()
	if e != nil {
		e.removed = true
	}
	return e
}

// endFlight marks an entry as no longer in flight, if it was.
func (x *index) endFlight(e *entry) {
	if e.inFlight() {
		x.ready.addInFlight(e, -1)
	}
	e.removed = false
}

// drop removes an entry that was received or deleted.
func (x *index) drop(e *entry) {
	x.endFlight(e)
	delete(x.all, e.sequence)
}

// releaseDue makes hidden messages ready if their visibility timeout or delay has ended.
func (x *index) releaseDue(now int64) {
	for len(x.hidden.entries) > 0 && x.hidden.entries[0].state.VisibleAt <= now {
		e := x.hidden.entries[0]
		x.remove(e)
		x.insert(e, now)
	}
}

// nextHidden returns when the next hidden message becomes visible, if there is one.
func (x *index) nextHidden() (due int64, ok bool) {
	if len(x.hidden.entries) == 0 {
		return 0, false
	}
	return x.hidden.entries[0].state.VisibleAt, true
}

// entryHeap implements heap.Interface; each entry stores its position.
type entryHeap struct {
	entries []*entry
	less    func(a, b *entry) bool
}

func (h *entryHeap) Len() int           { return len(h.entries) }
func (h *entryHeap) Less(i, j int) bool { return h.less(h.entries[i], h.entries[j]) }

func (h *entryHeap) Swap(i, j int) {
	h.entries[i], h.entries[j] = h.entries[j], h.entries[i]
	h.entries[i].heapIndex, h.entries[j].heapIndex = i, j
}

func (h *entryHeap) Push(e any) {
	added := e.(*entry)
	added.heapIndex = len(h.entries)
	h.entries = append(h.entries, added)
}

func (h *entryHeap) Pop() any {
	last := len(h.entries) - 1
	e := h.entries[last]
	h.entries[last] = nil
	h.entries = h.entries[:last]
	return e
}
