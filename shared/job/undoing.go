package job

// Undo is what a job takes back.
type Undo struct {
	Of   ID     // the job whose changes are taken back
	Mode string // how much of them: see package undo
}
