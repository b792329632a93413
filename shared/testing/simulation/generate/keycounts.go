package generate

import (
	"slices"

	"github.com/loadbay/loadbay/shared/job"
)

// keyCounts counts how often the rows of a file name a thing.
type keyCounts struct {
	counts  map[string]int // by key and value
	usedKey string         // the key by which rows name their things
	// unknown says that rows name things by different keys, or that nobody has counted:
	// what a row says may then be said by another.
	mixedKeys bool
}

// count counts a row, unless one of the fields is wrong by which rows name things.
func (n *keyCounts) count(r row, keys, fields []string) {
	if slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(r.invalidFields, f) }) {
		return
	}
	if n.counts == nil {
		n.counts = make(map[string]int)
	}
	by := ""
	for _, key := range keys {
		if v := r.values[key]; v != "" {
			n.counts[key+" "+v]++
			if by == "" {
				by = key
			}
		}
	}
	n.mixedKeys = n.mixedKeys || by != "" && n.usedKey != "" && by != n.usedKey
	if by != "" {
		n.usedKey = by
	}
}

// isOnlyRow reports whether no other row of the file has one of the row's keys.
func (n *keyCounts) isOnlyRow(r row, keys []string) bool {
	return !n.mixedKeys && !slices.ContainsFunc(keys, func(key string) bool { return n.counts[key+" "+r.values[key]] > 1 })
}

// HasDuplicates reports whether several rows of the file are about the same thing.
func (m *Import) HasDuplicates() bool {
	seen := make(map[int]bool)
	for _, r := range m.Records {
		if r.Outcome == job.Pending && seen[r.identity] {
			return true
		}
		seen[r.identity] = seen[r.identity] || r.Outcome == job.Pending
	}
	return false
}
