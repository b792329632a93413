package sqs

import "container/heap"

// tenants holds the ready messages of a queue by tenant, which the sender names in
// MessageGroupId. As in SQS fair queues, a tenant that sends many messages does not
// delay the others; unlike there, this applies from the first message on, and
// messages without a group share one tenant.
// Source: "Amazon SQS fair queues" in the developer guide.
type tenants struct {
	byGroup map[string]*tenant
	served  uint64
}

// tenant exists while it has messages that are ready or in flight.
type tenant struct {
	ready      entryHeap
	inFlight   int
	lastServed uint64 // sequence number of the last delivery
}

func newTenants() tenants { return tenants{byGroup: make(map[string]*tenant)} }

func (t *tenants) getOrCreate(e *entry) *tenant {
	found := t.byGroup[e.group]
	if found == nil {
		found = &tenant{ready: entryHeap{less: func(a, b *entry) bool { return a.sequence < b.sequence }}}
		t.byGroup[e.group] = found
	}
	return found
}

// add adds a ready message.
func (t *tenants) add(e *entry) { heap.Push(&t.getOrCreate(e).ready, e) }

// remove removes a ready message.
func (t *tenants) remove(e *entry) {
	heap.Remove(&t.getOrCreate(e).ready, e.heapIndex)
	t.removeIfEmpty(e)
}

// addInFlight changes the tenant's number of messages in flight by delta.
func (t *tenants) addInFlight(e *entry, delta int) {
	t.getOrCreate(e).inFlight += delta
	t.removeIfEmpty(e)
}

func (t *tenants) removeIfEmpty(e *entry) {
	if found := t.getOrCreate(e); found.inFlight == 0 && len(found.ready.entries) == 0 {
		delete(t.byGroup, e.group)
	}
}

// pop removes and returns the oldest message of the tenant with the fewest in flight; among
// several, of the tenant served longest ago. The message counts as in flight. pop returns
// nil if no message is ready.
func (t *tenants) pop() *entry {
	var chosen *tenant
	for _, candidate := range t.byGroup {
		if len(candidate.ready.entries) > 0 && (chosen == nil || candidate.before(chosen)) {
			chosen = candidate
		}
	}
	if chosen == nil {
		return nil
	}
	t.served++
	chosen.lastServed = t.served
	chosen.inFlight++
	return heap.Pop(&chosen.ready).(*entry)
}

func (t *tenant) before(other *tenant) bool {
	switch {
	case t.inFlight != other.inFlight:
		return t.inFlight < other.inFlight
	case t.lastServed != other.lastServed:
		return t.lastServed < other.lastServed
	default:
		return t.ready.entries[0].sequence < other.ready.entries[0].sequence
	}
}
