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

// MaxKeys is the maximum number of keys that are stored, at 16 bytes each. Duplicates in a
// file with more keys remain unknown.
const MaxKeys = 8 << 20

// Keys holds the keys of a file's rows as hashes of 64 bits. With a million keys, two different
// keys have the same hash in one of 30 million files; then both rows are written. Keys is safe
// for concurrent use.
type Keys struct {
	seed  maphash.Seed
	limit int

	mu        sync.Mutex
	entries   [partCount][]entry // partitioned by the first bits of the hash: each part is sorted separately and grows in small steps
	count     int
	keyIndex  int  // index of the key by which rows name their entities; -1 before the first row
	mixedKeys bool // rows name their entities by different keys
	overLimit bool // the file has more keys than the limit
}

const (
	partCount = 1 << partBits
	partBits  = 8
)

type entry struct {
	hash uint64
	row  int64
}

// NewKeys returns an empty collection for at most limit keys, or MaxKeys if that is less.
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

// Chunk returns a collection for one chunk with capacity for room keys. It is not safe for
// concurrent use.
func (k *Keys) Chunk(room int) *Chunk {
	return &Chunk{keys: k, keyIndex: -1, entries: make([]entry, 0, room)}
}

// AddRow adds the keys of a row. each calls found with every key, in the form in which keys are
// unique, and returns the index of the key by which the row names its entity.
func (c *Chunk) AddRow(row int64, each func(found func(key int, value string)) (by int)) {
	before := len(c.entries)
	by := each(func(key int, value string) {
		c.text = append(binary.AppendUvarint(c.text[:0], uint64(key)), value...)
		c.entries = append(c.entries, entry{hash: maphash.Bytes(c.keys.seed, c.text), row: row})
	})
	if len(c.entries) == before {
		return // the row has no key
	}
	c.mixedKeys = c.mixedKeys || c.keyIndex >= 0 && c.keyIndex != by
	c.keyIndex = by
}

// Flush adds the chunk's keys to the collection of the file.
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

// Find returns the numbers of the rows that share a key with another row, in ascending order.
// known is false for a file with more keys than the limit, and for a file in which rows name their
// entities by different keys: there an address in one row and a number in another row may refer
// to the same entity.
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

// eachDuplicate calls same with every row that shares a key with another row, for each such key,
// together with one of the rows that have it.
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

// sort sorts the parts on all cores.
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
	if a.hash != b.hash { // the usual case
		return cmp.Compare(a.hash, b.hash)
	}
	return cmp.Compare(a.row, b.row)
}
