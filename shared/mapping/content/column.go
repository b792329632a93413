package content

import (
	"bytes"
	"hash/maphash"
)

// What is kept of a column, so that 500 columns of any number of rows fit into memory.
const (
	// maxDistinct is up to how many different values are counted exactly.
	maxDistinct = 500
	// maxSamples is how many of them are kept as texts.
	maxSamples = 50
	// maxSampleBytes is the most of such a text.
	maxSampleBytes = 320
	// sampleStride is of how many values beyond those one is looked at.
	sampleStride = 64
)

// Columns finds out what the columns of a file are like. It is not safe for concurrent use.
type Columns struct {
	columns  []column
	detector *Detector
	seed     maphash.Seed
}

// column is what is known of one column.
type column struct {
	filled  int64
	shares  [kindCount + 1]int64 // values by kind, and of none; one can be of several
	seen    map[uint64]int
	values  []entry
	skipped int64 // values since one was looked at that is not among them
}

// entry is one of the different values.
type entry struct {
	text  string // of the first ones
	kinds Kind
	count int64
}

// NewColumns returns a survey of so many columns.
func NewColumns(n int) *Columns {
	return &Columns{columns: make([]column, n), detector: NewDetector(), seed: maphash.MakeSeed()}
}

// Add takes the value of a column, counted from 0, as a person sees it, and the kinds that
// it is whatever it looks like. A blank one is none.
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

// countKinds counts by kind what has been seen. There are too many different values to go
// on one by one: what is looked at from now on stands for its stride.
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
