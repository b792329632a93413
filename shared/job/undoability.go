package job

// Undo describes what a job undoes.
type Undo struct {
	Of   ID     // job to undo
	Mode string // how much of them: see package undo
}

// RevertedBy is the last job that has undone another one, wholly or in part, unless it was undone itself.
type RevertedBy struct {
	JobID    ID   `json:"identifier"`
	Complete bool `json:"whole"` // every change was reverted
}
