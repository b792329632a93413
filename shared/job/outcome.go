package job

// Outcome is what became of one row of the file. A chunk keeps one byte a row,
// so that a million successes cost a megabyte and no table rows.
type Outcome byte

// The outcomes. Pending, Blank, Header, Deferred and the planned ones are never reported: a
// blank line and a header are no rows, and a job with rows that are open has not ended.
const (
	Pending Outcome = '.' // not processed yet
	Blank   Outcome = ' ' // a line without data
	Header  Outcome = 'H' // the header, or a line that repeats it
	Created Outcome = 'C'
	Updated Outcome = 'U'
	// Unchanged is a row of an upsert that says what there is already: nothing is written.
	Unchanged      Outcome = '='
	Skipped        Outcome = 'S'
	Errored        Outcome = 'E'
	Deferred       Outcome = 'D' // met a value that nobody has mapped; runs again after somebody has
	PlannedCreated Outcome = 'c' // was rehearsed as Created, and is to be written
	PlannedUpdated Outcome = 'u' // was rehearsed as Updated, and is to be written
)

// outcomeNames are the outcomes on the wire.
var outcomeNames = map[Outcome]string{
	Created: "CREATED", Updated: "UPDATED", Unchanged: "UNCHANGED", Skipped: "SKIPPED", Errored: "ERROR",
	Undone: "UNDONE", KeptLaterEdit: "KEPT_LATER_EDIT", KeptReferenced: "KEPT_REFERENCED", KeptKeyTaken: "KEPT_KEY_TAKEN",
}

// Open reports whether the row is still to get its outcome.
func (o Outcome) Open() bool {
	return o == Pending || o == Deferred || o == PlannedCreated || o == PlannedUpdated
}

// WhenWritten is what a planned row comes to when it is written; any other is what it is.
func (o Outcome) WhenWritten() Outcome {
	switch o {
	case PlannedCreated:
		return Created
	case PlannedUpdated:
		return Updated
	}
	return o
}

// String is the outcome's name in the API, or "" for those that are not reported.
func (o Outcome) String() string { return outcomeNames[o] }

// ParseOutcome is the inverse of String.
func ParseOutcome(name string) (Outcome, bool) {
	for o, n := range outcomeNames {
		if n == name {
			return o, true
		}
	}
	return 0, false
}

// Counts says how many rows had each outcome. Those of an undo are Updated if they are
// UNDONE, and Skipped if they are kept.
type Counts struct {
	Created, Updated, Unchanged, Skipped, Errored, Deferred, Blank int64
}

// CountOutcomes tallies the outcomes of a chunk.
func CountOutcomes(outcomes []byte) Counts {
	var tally [256]int64
	for _, o := range outcomes {
		tally[o]++
	}
	return Counts{
		Created:   tally[Created],
		Updated:   tally[Updated] + tally[Undone],
		Unchanged: tally[Unchanged],
		Skipped:   tally[Skipped] + tally[KeptLaterEdit] + tally[KeptReferenced] + tally[KeptKeyTaken],
		Errored:   tally[Errored],
		Deferred:  tally[Deferred],
		Blank:     tally[Blank],
	}
}

// Success is the number of rows that are what their entity is now, whether or not they had
// to write it. A row that was skipped is not: nothing is wrong with it, and nothing came of it.
func (c Counts) Success() int64 { return c.Created + c.Updated + c.Unchanged }

// Processed is the number of rows with a final outcome.
func (c Counts) Processed() int64 { return c.Success() + c.Skipped + c.Errored }

// Sub returns c less d: what a second pass over a chunk has changed.
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
