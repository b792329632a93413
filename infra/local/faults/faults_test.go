package faults

import "testing"

// TestFaults makes each fault happen, one after the other, to one Loadbay. The
// names are those of the table of faults.
func TestFaults(t *testing.T) {
	r := start(t)
	for _, fault := range []struct {
		name string
		test func(*testing.T, *rig)
	}{
		{"a message delivered twice, in parallel", deliveredTwiceInParallel},
		{"a message delivered again after the end", deliveredAfterTheEnd},
		{"chunks out of order, upsert", outOfOrderUpsert},
		{"chunks out of order, insert", outOfOrderInsert},
		{"crash before commit", crashBeforeCommit},
		{"crash after commit, before the message is deleted", crashAfterCommit},
		{"two last chunks at once", twoLastChunks},
	} {
		for range *rounds {
			if !t.Run(fault.name, func(t *testing.T) { fault.test(t, r) }) {
				return // what is left of a failure may spoil what follows
			}
		}
	}
}
