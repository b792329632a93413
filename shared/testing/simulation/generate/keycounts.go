package generate

import (
	"slices"

	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// keyCounts counts how often the rows of a file refer to an entity.
type keyCounts struct {
	counts  map[string]int // by key and value
	usedKey string         // the key that the rows use
	// mixedKeys means that rows use different keys or were not counted, so that several rows may refer
	// to the same entity.
	mixedKeys bool
}

// count counts a row, unless one of its key fields is invalid.
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

// isOnlyRow reports whether no other row of the file shares a key with the row.
func (n *keyCounts) isOnlyRow(r row, keys []string) bool {
	return !n.mixedKeys && !slices.ContainsFunc(keys, func(key string) bool { return n.counts[key+" "+r.values[key]] > 1 })
}

// HasDuplicates reports whether several rows of the file are about the same entity.
func (m *Import) HasDuplicates() bool {
	seen := make(map[int]bool)
	for _, r := range m.Records {
		if r.Outcome == rowwrite.Pending && seen[r.identity] {
			return true
		}
		seen[r.identity] = seen[r.identity] || r.Outcome == rowwrite.Pending
	}
	return false
}
