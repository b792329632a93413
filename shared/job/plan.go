package job

import "time"

// Plan is how a job is rehearsed before its rows are written, and who let it go on.
type Plan struct {
	// Asked says that the caller wants to see the changes first. Otherwise the job waits
	// only if they go beyond Guards.
	Requested bool
	Approval  Approval
	Guards    Guards
	Digest    string // of the changes, hex; "" until it is rehearsed
	// AppliedAt is since when the changes are written; nil before.
	AppliedAt *time.Time
	AppliedBy string // as the token names them; "": nobody had to
	OnStale   StalePolicy
}

// Approval says who may approve of a plan.
type Approval string

// The approvals. "" is ApprovalAny.
const (
	ApprovalAny   Approval = "any"
	ApprovalOther Approval = "other" // than who made the import
)

// Valid reports whether it is one of the approvals, or none.
func (a Approval) Valid() bool { return a == "" || a == ApprovalAny || a == ApprovalOther }

// StalePolicy says what becomes of a row whose entities are not any more what they were when
// its change was planned.
type StalePolicy string

// What becomes of stale rows.
const (
	SkipStale      StalePolicy = "skip"
	AbortOnStale   StalePolicy = "abort"     // nothing is written, if one is found beforehand
	OverwriteStale StalePolicy = "overwrite" // the planned values are written all the same
)

// Valid reports whether it is one of those.
func (o StalePolicy) Valid() bool {
	return o == SkipStale || o == AbortOnStale || o == OverwriteStale
}

// IsPlanning reports whether what the job's rows change is taken back, and kept as a plan.
func (j *Job) IsPlanning() bool { return j.Plan != nil && j.Plan.AppliedAt == nil }

// IsApplying reports whether the job writes its plan.
func (j *Job) IsApplying() bool { return j.Plan != nil && j.Plan.AppliedAt != nil }
