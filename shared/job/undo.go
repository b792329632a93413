package job

// DefaultUndoDays is the number of days after its end during which an import can be undone,
// if its organisation has no setting; MaxUndoDays is the maximum of that setting.
const (
	DefaultUndoDays = 30
	MaxUndoDays     = 90
)

// CapturesChanges reports whether the job's changes are stored for undo.
func (j *Job) CapturesChanges() bool { return !j.DryRun && j.UndoDays > 0 }

// NotUndoable is the reason why a job cannot be undone; "" if it can.
type NotUndoable string

// The reasons why a job cannot be undone.
const (
	UndoNotEnded     NotUndoable = "NOT_ENDED"     // it has not ended
	UndoDryRun       NotUndoable = "DRY_RUN"       // it changed nothing
	UndoNeverStarted NotUndoable = "NEVER_STARTED" // it ended before a row was written
	UndoNotApplied   NotUndoable = "NOT_APPLIED"   // it is a plan that was not applied
	UndoNotKept      NotUndoable = "NOT_KEPT"      // its organisation stores no changes, or did not at that time
	UndoExpired      NotUndoable = "EXPIRED"       // its changes have been purged
)

// WhyNotUndoable returns the reason why the job cannot be undone.
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
