package job

// Undo describes what a job undoes.
type Undo struct {
	Of      ID            // job to undo
	Mode    string        // how much of its changes: see package undo
	Retries []UndoneRetry // retries that are undone with the job, newest first
}

// UndoneRetry is a retry that is undone with the job that it retries.
type UndoneRetry struct {
	ID      ID    `json:"id"`
	Changes int64 `json:"changes"`
}

// Jobs returns the jobs to undo.
func (u *Undo) Jobs() []ID {
	ids := []ID{u.Of}
	for _, r := range u.Retries {
		ids = append(ids, r.ID)
	}
	return ids
}

// RevertedBy is the last job that has undone another one, wholly or in part, unless it was undone itself.
type RevertedBy struct {
	JobID    ID   `json:"identifier"`
	Complete bool `json:"whole"` // every change was reverted
}
