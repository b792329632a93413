package job

import "github.com/loadbay/loadbay/shared/job/rowwrite"

// Counts is the number of rows with each outcome. In an undo, Updated counts reverted changes
// and Skipped those that are kept.
type Counts struct {
	Created, Updated, Unchanged, Skipped, Errored, Deferred, Blank int64
}

// CountOutcomes counts the outcomes of a chunk.
func CountOutcomes(outcomes []byte) Counts {
	var tally [256]int64
	for _, o := range outcomes {
		tally[o]++
	}
	return Counts{
		Created:   tally[rowwrite.Created],
		Updated:   tally[rowwrite.Updated] + tally[rowwrite.Undone],
		Unchanged: tally[rowwrite.Unchanged],
		Skipped:   tally[rowwrite.Skipped] + tally[rowwrite.KeptLaterEdit] + tally[rowwrite.KeptReferenced] + tally[rowwrite.KeptKeyTaken],
		Errored:   tally[rowwrite.Errored],
		Deferred:  tally[rowwrite.Deferred],
		Blank:     tally[rowwrite.Blank],
	}
}

// Success is the number of rows that agree with their entity, whether or not it had to be
// written. Skipped rows do not count: they have no error, but also no effect.
func (c Counts) Success() int64 { return c.Created + c.Updated + c.Unchanged }

// Processed is the number of rows with a final outcome.
func (c Counts) Processed() int64 { return c.Success() + c.Skipped + c.Errored }

// Sub returns c minus d: the changes made by a second pass over a chunk.
func (c Counts) Sub(d Counts) Counts {
	return Counts{
		Created:   c.Created - d.Created,
		Updated:   c.Updated - d.Updated,
		Unchanged: c.Unchanged - d.Unchanged,
		Skipped:   c.Skipped - d.Skipped,
		Errored:   c.Errored - d.Errored,
		Deferred:  c.Deferred - d.Deferred,
		Blank:     c.Blank - d.Blank,
	}
}

// Add returns the sum of c and d.
func (c Counts) Add(d Counts) Counts { return c.Sub(Counts{}.Sub(d)) }
