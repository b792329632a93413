package job

// Outcome is the outcome of one row of the file. A chunk stores one byte per row, so a
// million successes need one megabyte and no table rows.
type Outcome byte

// The outcomes. Pending, Blank, Header, Deferred and the planned ones are never reported:
// blank lines and headers are no rows, and a job with open rows has not ended.
const (
	Pending Outcome = '.' // not processed yet
	Blank   Outcome = ' ' // a line without data
	Header  Outcome = 'H' // the header, or a line that repeats it
	Created Outcome = 'C'
	Updated Outcome = 'U'
	// Unchanged is a row of an upsert that equals the stored data: nothing is written.
	Unchanged      Outcome = '='
	Skipped        Outcome = 'S'
	Errored        Outcome = 'E'
	Deferred       Outcome = 'D' // has an unresolved value; processed again after a decision
	PlannedCreated Outcome = 'c' // planned as Created, to be written
	PlannedUpdated Outcome = 'u' // planned as Updated, to be written
)

// outcomeNames are the names of outcomes in the API.
var outcomeNames = map[Outcome]string{
	Created: "CREATED", Updated: "UPDATED", Unchanged: "UNCHANGED", Skipped: "SKIPPED", Errored: "ERROR",
	Undone: "UNDONE", KeptLaterEdit: "KEPT_LATER_EDIT", KeptReferenced: "KEPT_REFERENCED", KeptKeyTaken: "KEPT_KEY_TAKEN",
}

// Open reports whether the row has no final outcome yet.
func (o Outcome) Open() bool {
	return o == Pending || o == Deferred || o == PlannedCreated || o == PlannedUpdated
}

// WhenWritten returns the outcome of a planned row once it is written; others are unchanged.
func (o Outcome) WhenWritten() Outcome {
	switch o {
	case PlannedCreated:
		return Created
	case PlannedUpdated:
		return Updated
	}
	return o
}

// String returns the outcome's name in the API, or "" for those that are not reported.
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
		Created:   tally[Created],
		Updated:   tally[Updated] + tally[Undone],
		Unchanged: tally[Unchanged],
		Skipped:   tally[Skipped] + tally[KeptLaterEdit] + tally[KeptReferenced] + tally[KeptKeyTaken],
		Errored:   tally[Errored],
		Deferred:  tally[Deferred],
		Blank:     tally[Blank],
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
