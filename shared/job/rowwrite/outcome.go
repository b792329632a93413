package rowwrite

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

// The outcomes of the rows of an undo, each of which is a change of another job.
const (
	Undone         Outcome = 'R' // reverted, or already equal to the previous state
	KeptLaterEdit  Outcome = 'L' // changed since, at least in part
	KeptReferenced Outcome = 'F' // the entity to delete is referenced
	KeptKeyTaken   Outcome = 'K' // another entity has the key to restore
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

// Kept reports whether an undo with this outcome keeps the change. Each such row has a row
// error with the reason.
func (o Outcome) Kept() bool { return o == KeptLaterEdit || o == KeptReferenced || o == KeptKeyTaken }
