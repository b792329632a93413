package sqs

import "container/heap"

// tenants are the ready messages of a queue by tenant, which the sender names
// as MessageGroupId. As in the fair queues of SQS, one who sends much does not
// make the others wait; unlike there, this holds from the first message on,
// and those without a group are one tenant together.
// Source: "Amazon SQS fair queues" in the developer guide.
type tenants struct {
	byGroup map[string]*tenant
	turns   uint64
}

// tenant is there while it has messages that are ready or in flight.
type tenant struct {
	ready    entryHeap
	inFlight int
	turn     uint64 // when it was last served
}

func newTenants() tenants { return tenants{byGroup: make(map[string]*tenant)} }

func (t *tenants) tenantOf(e *entry) *tenant {
	found := t.byGroup[e.group]
	if found == nil {
		found = &tenant{ready: entryHeap{less: func(a, b *entry) bool { return a.number < b.number }}}
		t.byGroup[e.group] = found
	}
	return found
}

// add makes a message ready.
func (t *tenants) add(e *entry) { heap.Push(&t.tenantOf(e).ready, e) }

// remove takes a ready message away.
func (t *tenants) remove(e *entry) {
	heap.Remove(&t.tenantOf(e).ready, e.place)
	t.tidy(e)
}

// fly counts a message in flight, or with by = -1 one that has landed.
func (t *tenants) fly(e *entry, delta int) {
	t.tenantOf(e).inFlight += delta
	t.tidy(e)
}

func (t *tenants) tidy(e *entry) {
	if found := t.tenantOf(e); found.inFlight == 0 && len(found.ready.entries) == 0 {
		delete(t.byGroup, e.group)
	}
}

// next takes the oldest message of the tenant with the fewest in flight, of
// several the one that was served longest ago. The message counts as in flight.
// Without a ready message it is nil.
func (t *tenants) next() *entry {
	var chosen *tenant
	for _, candidate := range t.byGroup {
		if len(candidate.ready.entries) > 0 && (chosen == nil || candidate.before(chosen)) {
			chosen = candidate
		}
	}
	if chosen == nil {
		return nil
	}
	t.turns++
	chosen.turn = t.turns
	chosen.inFlight++
	return heap.Pop(&chosen.ready).(*entry)
}

func (t *tenant) before(other *tenant) bool {
	switch {
	case t.inFlight != other.inFlight:
		return t.inFlight < other.inFlight
	case t.turn != other.turn:
		return t.turn < other.turn
	default:
		return t.ready.entries[0].number < other.ready.entries[0].number
	}
}
