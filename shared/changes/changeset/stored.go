package changeset

import (
	"time"

	"github.com/loadbay/loadbay/shared/job"
)

// Position is the position of a part in a change set. The parts of a job are ordered by it.
type Position struct{ Chunk, Part int }

// StoredPart is a part of a change set.
type StoredPart struct {
	At      Position
	Written time.Time
	Changes []Change
}

// Ref identifies the changes of a job, or its planned changes.
type Ref struct {
	Key     job.Key
	Planned bool
}

// RefOf returns the planned changes of a job that is a plan, and its actual changes once it is
// being applied.
func RefOf(j *job.Job) Ref { return Ref{Key: j.Key, Planned: j.IsPlanning()} }

// PartInfo describes a part of a change set without its contents, and its place in the
// order of all changes.
type PartInfo struct {
	Place   int64
	Job     job.Key
	Changes int
	Bytes   int64 // encoded size
}

// PartRef refers to a part of a job's change set, with its number of changes.
type PartRef struct {
	Ref
	At      Position
	Changes int
}
