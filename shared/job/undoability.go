package job

// Undo is what a job takes back.
type Undo struct {
	Of   ID     // the job whose changes are taken back
	Mode string // how much of them: see package undo
}

// RevertedBy is the last job that has taken back what another has changed, unless that was
// taken back in its turn.
type RevertedBy struct {
	JobID    ID   `json:"identifier"`
	Complete bool `json:"whole"` // nothing had to stay as it is
}

// The outcomes of the rows of an undo, each of which is a change of another job.
const (
	Undone         Outcome = 'R' // taken back, or as it was before already
	KeptLaterEdit  Outcome = 'L' // it has been changed since, or a part of it
	KeptReferenced Outcome = 'F' // what was to go is referred to
	KeptKeyTaken   Outcome = 'K' // something else has the key that was to come back
)

// Kept reports whether the outcome is one of those by which an undo leaves a change. Each
// of its rows has a row error that says why.
func (o Outcome) Kept() bool { return o == KeptLaterEdit || o == KeptReferenced || o == KeptKeyTaken }
