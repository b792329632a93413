package dupkeys

import (
	"cmp"
	"slices"
)

// Group is a row that shares a key with another row of its file, and the first of all rows that
// share keys with it, directly or through other rows.
type Group struct{ Row, First int64 }

// Groups returns the rows that share keys, in file order. known is false for a file with more
// keys than the limit. It does not matter by which keys rows name their entities: rows without
// a shared key never create an entity together.
func (k *Keys) Groups() (groups []Group, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.overLimit {
		return nil, false
	}
	first := make(groupRoots)
	k.eachDuplicate(first.union)
	for row := range first {
		groups = append(groups, Group{Row: row, First: first.find(row)})
	}
	slices.SortFunc(groups, func(a, b Group) int { return cmp.Compare(a.Row, b.Row) })
	return groups, true
}

// groupRoots maps each row to an earlier row that shares keys with it, and the first row to
// itself.
type groupRoots map[int64]int64

func (f groupRoots) find(row int64) int64 {
	for f[row] != row {
		f[row] = f[f[row]]
		row = f[row]
	}
	return row
}

func (f groupRoots) union(row, with int64) {
	for _, each := range []int64{row, with} {
		if _, known := f[each]; !known {
			f[each] = each
		}
	}
	a, b := f.find(row), f.find(with)
	f[max(a, b)] = min(a, b)
}
