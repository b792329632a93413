package dupkeys

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// MaxKeys is how many keys are kept, 16 bytes each. Of a file with more nobody knows
// which of them occur twice.
const MaxKeys = 8 << 20

// Keys are those of a file's rows, as hashes of 64 bits: of a million keys, two different
// ones have the same in one of 30 million files, and then both rows are written. It may
// be added to by several at once.
type Keys struct {
	seed  maphash.Seed
	limit int

	mu        sync.Mutex
	entries   [partCount][]entry // by how their hashes begin: each part is sorted by itself, and small to grow
	count     int
	keyIndex  int  // the key by which rows name their entities; -1 before the first
	mixedKeys bool // they name them by different keys
	overLimit bool // there are more keys than are kept
}

const (
	partCount = 1 << partBits
	partBits  = 8
)

type entry struct {
	hash uint64
	row  int64
}

// NewKeys returns an empty collection with room for that many keys, MaxKeys at most.
func NewKeys(limit int) *Keys {
	return &Keys{seed: maphash.MakeSeed(), limit: min(limit, MaxKeys), keyIndex: -1}
}

// Chunk collects the keys of a chunk's rows.
type Chunk struct {
	keys      *Keys
	entries   []entry
	keyIndex  int
	mixedKeys bool
	text      []byte
}

// Chunk returns a collection for one chunk, which nobody else adds to, with room for that
// many keys.
func (k *Keys) Chunk(room int) *Chunk {
	return &Chunk{keys: k, keyIndex: -1, entries: make([]entry, 0, room)}
}

// AddRow notes the keys of a row: each calls found with them, in the form in which they are
// unique, and returns by which the row names its entity.
func (c *Chunk) AddRow(row int64, each func(found func(key int, value string)) (by int)) {
	before := len(c.entries)
	by := each(func(key int, value string) {
		c.text = append(binary.AppendUvarint(c.text[:0], uint64(key)), value...)
		c.entries = append(c.entries, entry{hash: maphash.Bytes(c.keys.seed, c.text), row: row})
	})
	if len(c.entries) == before {
		return // it names none
	}
	c.mixedKeys = c.mixedKeys || c.keyIndex >= 0 && c.keyIndex != by
	c.keyIndex = by
}

// Flush adds the chunk's keys to the others.
func (c *Chunk) Flush() {
	k := c.keys
	k.mu.Lock()
	defer k.mu.Unlock()
	k.mixedKeys = k.mixedKeys || c.mixedKeys || k.keyIndex >= 0 && c.keyIndex >= 0 && k.keyIndex != c.keyIndex
	if c.keyIndex >= 0 {
		k.keyIndex = c.keyIndex
	}
	k.count += len(c.entries)
	if k.overLimit = k.overLimit || k.count > k.limit; k.overLimit {
		k.entries = [partCount][]entry{}
		return
	}
	for _, e := range c.entries {
		part := &k.entries[e.hash>>(64-partBits)]
		*part = append(*part, e)
	}
}

// Find returns the numbers of the rows that have a key which is another row's as well, in
// ascending order. It is not known (known is false) of a file with more keys than are kept,
// and of one whose rows name their entities by different keys: there an address in one row
// and a number in another may mean the same.
func (k *Keys) Find() (rows []int64, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.overLimit || k.mixedKeys {
		return nil, false
	}
	k.eachDuplicate(func(row, _ int64) { rows = append(rows, row) })
	slices.Sort(rows)
	return slices.Compact(rows), true
}

// eachDuplicate calls same with every row that has a key which is another row's as well, for each
// such key, and with one of the rows that have it.
func (k *Keys) eachDuplicate(same func(row, with int64)) {
	k.sort()
	for _, part := range k.entries {
		for i := range part {
			if i > 0 && part[i-1].hash == part[i].hash {
				same(part[i].row, part[i-1].row)
			} else if i+1 < len(part) && part[i+1].hash == part[i].hash {
				same(part[i].row, part[i].row)
			}
		}
	}
}

// sort sorts the parts, on every core.
func (k *Keys) sort() {
	var group sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			for i := next.Add(1) - 1; i < partCount; i = next.Add(1) - 1 {
				slices.SortFunc(k.entries[i], compareEntries)
			}
		})
	}
	group.Wait()
}

func compareEntries(a, b entry) int {
	if a.hash != b.hash { // nearly always
		return cmp.Compare(a.hash, b.hash)
	}
	return cmp.Compare(a.row, b.row)
}
