package job

import "time"

// Plan describes how a job is planned before its rows are written, and who approved it.
type Plan struct {
	// Requested means that the caller wants to review the changes first. Otherwise the job waits
	// only if they exceed Guards.
	Requested bool
	Approval  Approval
	Guards    Guards
	Digest    string // of the changes, hex; "" until planned
	// AppliedAt is when writing the changes began; nil before.
	AppliedAt *time.Time
	AppliedBy string // approver as named by the token; "": no approval was needed
	OnStale   StalePolicy
}

// Approval defines who may approve a plan.
type Approval string

// The approvals. "" is ApprovalAny.
const (
	ApprovalAny   Approval = "any"
	ApprovalOther Approval = "other" // anyone except the import's creator
)

// Valid reports whether it is a known approval or "".
func (a Approval) Valid() bool { return a == "" || a == ApprovalAny || a == ApprovalOther }

// StalePolicy defines how to treat a row if its entities have changed since the change was
// planned.
type StalePolicy string

// The policies for stale rows.
const (
	SkipStale      StalePolicy = "skip"
	AbortOnStale   StalePolicy = "abort"     // write nothing if a stale row is found beforehand
	OverwriteStale StalePolicy = "overwrite" // write the planned values anyway
)

// Valid reports whether it is a known policy.
func (o StalePolicy) Valid() bool {
	return o == SkipStale || o == AbortOnStale || o == OverwriteStale
}

// IsPlanning reports whether the changes of the job's rows are rolled back and stored as a
// plan.
func (j *Job) IsPlanning() bool { return j.Plan != nil && j.Plan.AppliedAt == nil }

// GroupsRows reports whether all rows of the file that share keys are decided by one chunk: with a
// plan, and in tables of declared types, where nothing tells which row of a file has written an entity.
func (j *Job) GroupsRows() bool { return j.Plan != nil || j.TypeVersion > 0 }

// IsApplying reports whether the job writes its plan.
func (j *Job) IsApplying() bool { return j.Plan != nil && j.Plan.AppliedAt != nil }
