package job

// DefaultUndoDays is for how many days after its end an import can be undone where its
// organisation has not said; MaxUndoDays is the most that it may say.
const (
	DefaultUndoDays = 30
	MaxUndoDays     = 90
)

// CapturesChanges reports whether what the job changes is kept, to be undone.
func (j *Job) CapturesChanges() bool { return !j.DryRun && j.UndoDays > 0 }

// NotUndoable is why a job cannot be undone; "" for one that can.
type NotUndoable string

// The reasons why a job cannot be undone.
const (
	UndoNotEnded     NotUndoable = "NOT_ENDED"     // it still goes on
	UndoDryRun       NotUndoable = "DRY_RUN"       // it has changed nothing
	UndoNeverStarted NotUndoable = "NEVER_STARTED" // it ended before a row was written
	UndoNotApplied   NotUndoable = "NOT_APPLIED"   // it is a plan that waits, or that nobody has applied
	UndoNotKept      NotUndoable = "NOT_KEPT"      // its organisation keeps no changes, or did not then
	UndoExpired      NotUndoable = "EXPIRED"       // its changes are kept no longer
)

// WhyNotUndoable returns why the job cannot be undone.
func (j *Job) WhyNotUndoable() NotUndoable {
	switch {
	case j.DryRun:
		return UndoDryRun
	case j.UndoDays == 0:
		return UndoNotKept
	case j.IsPlanning() && (j.Status == AwaitingApproval || j.StartedAt != nil && j.Status.Terminal()):
		return UndoNotApplied
	case !j.Status.Terminal():
		return UndoNotEnded
	case j.UndoOpen:
		return ""
	case j.StartedAt == nil:
		return UndoNeverStarted
	case j.UndoUntil == nil:
		return UndoNotKept
	default:
		return UndoExpired
	}
}
