package generate

import (
	"slices"

	"github.com/loadbay/loadbay/shared/job"
)

// names counts how often the rows of a file name a thing.
type names struct {
	times map[string]int // by key and value
	by    string         // the key by which rows name their things
	// unknown says that rows name things by different keys, or that nobody has counted:
	// what a row says may then be said by another.
	unknown bool
}

// show counts a row, unless one of the fields is wrong by which rows name things.
func (n *names) show(r row, keys, fields []string) {
	if slices.ContainsFunc(fields, func(f string) bool { return slices.Contains(r.wrong, f) }) {
		return
	}
	if n.times == nil {
		n.times = make(map[string]int)
	}
	by := ""
	for _, key := range keys {
		if v := r.values[key]; v != "" {
			n.times[key+" "+v]++
			if by == "" {
				by = key
			}
		}
	}
	n.unknown = n.unknown || by != "" && n.by != "" && by != n.by
	if by != "" {
		n.by = by
	}
}

// alone reports whether no other row of the file has one of the row's keys.
func (n *names) alone(r row, keys []string) bool {
	return !n.unknown && !slices.ContainsFunc(keys, func(key string) bool { return n.times[key+" "+r.values[key]] > 1 })
}

// Repeats reports whether several rows of the file are about the same thing.
func (m *Import) Repeats() bool {
	seen := make(map[int]bool)
	for _, r := range m.Records {
		if r.Outcome == job.Pending && seen[r.identity] {
			return true
		}
		seen[r.identity] = seen[r.identity] || r.Outcome == job.Pending
	}
	return false
}
