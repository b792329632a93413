package job

// Undo describes what a job undoes.
type Undo struct {
	Of   ID     // job to undo
	Mode string // how much of them: see package undo
}

// RevertedBy is the last job that has undone another one, unless it was undone itself.
type RevertedBy struct {
	JobID    ID   `json:"identifier"`
	Complete bool `json:"whole"` // every change was reverted
}

// The outcomes of the rows of an undo, each of which is a change of another job.
const (
	Undone         Outcome = 'R' // reverted, or already equal to the previous state
	KeptLaterEdit  Outcome = 'L' // changed since, at least in part
	KeptReferenced Outcome = 'F' // the entity to delete is referenced
	KeptKeyTaken   Outcome = 'K' // another entity has the key to restore
)

// Kept reports whether an undo with this outcome keeps the change. Each such row has a row
// error with the reason.
func (o Outcome) Kept() bool { return o == KeptLaterEdit || o == KeptReferenced || o == KeptKeyTaken }
