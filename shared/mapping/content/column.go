package content

import (
	"bytes"
	"hash/maphash"
)

// Limits per column, so that 500 columns of any number of rows fit into memory.
const (
	// maxDistinct is the maximum number of distinct values that are counted exactly.
	maxDistinct = 500
	// maxSamples is the number of distinct values that are retained as texts.
	maxSamples = 50
	// maxSampleBytes is the maximum length of such a text.
	maxSampleBytes = 320
	// sampleStride is the sampling interval of further values.
	sampleStride = 64
)

// Columns analyses the contents of the columns of a file. It is not safe for concurrent use.
type Columns struct {
	columns  []column
	detector *Detector
	seed     maphash.Seed
}

// column is the state of one column.
type column struct {
	filled  int64
	shares  [kindCount + 1]int64 // values by kind, and of no kind; a value can have several kinds
	seen    map[uint64]int
	values  []entry
	skipped int64 // further values since the last sampled one
}

// entry is a distinct value.
type entry struct {
	text  string // of the first entries only
	kinds Kind
	count int64
}

// NewColumns returns an analysis of n columns.
func NewColumns(n int) *Columns {
	return &Columns{columns: make([]column, n), detector: NewDetector(), seed: maphash.MakeSeed()}
}

// Add adds a value, as displayed, to the column at that place, counted from 0. is contains
// kinds known from the cell itself, regardless of its text. Blank values are not counted.
func (c *Columns) Add(place int, text []byte, is Kind) {
	if text = bytes.TrimSpace(text); len(text) == 0 {
		return
	}
	of := &c.columns[place]
	of.filled++
	if of.seen == nil {
		of.seen = make(map[uint64]int)
	}
	if len(of.values) == maxDistinct {
		c.sample(of, text, is)
		return
	}
	key := maphash.Bytes(c.seed, text)
	if known, ok := of.seen[key]; ok {
		of.values[known].count++
		return
	}
	e := entry{kinds: c.detector.Detect(text) | is, count: 1}
	if len(of.values) < maxSamples {
		e.text = string(text[:min(len(text), maxSampleBytes)])
	}
	of.seen[key] = len(of.values)
	of.values = append(of.values, e)
	if len(of.values) == maxDistinct {
		of.countKinds()
	}
}

// countKinds counts the kinds of the values so far. There are too many distinct values to
// examine each: from now on, each sampled value counts for its stride.
func (c *column) countKinds() {
	for _, e := range c.values {
		c.count(e.kinds, e.count)
	}
	c.seen = map[uint64]int{}
}

func (c *Columns) sample(of *column, text []byte, is Kind) {
	if of.skipped++; of.skipped%sampleStride == 0 {
		of.count(c.detector.Detect(text)|is, sampleStride)
	}
}

func (c *column) count(k Kind, times int64) {
	if k == 0 {
		c.shares[kindCount] += times
	}
	for i := range kindCount {
		if k&(1<<i) != 0 {
			c.shares[i] += times
		}
	}
}
