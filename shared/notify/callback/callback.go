// Package callback completes the tasks of the states that wait: for a person, or
// for the last chunk of rows.
//
// It is safe to call from anywhere, any number of times, because each wait is for a
// condition in the database. The process that makes it true completes the task with the
// newest token; the await function checks the condition right after it has stored a token;
// and reconcile completes the rest. So no completion is lost, and a second one finds the
// token closed.
package callback

import (
	"context"
	"errors"
	"fmt"

	"github.com/loadbay/loadbay/shared/job"
)

// Tokens finds the newest token of a phase.
type Tokens interface {
	Token(ctx context.Context, jobID job.ID, phase job.Phase) (string, error)
}

// TaskCompleter completes a waiting task.
type TaskCompleter interface {
	CompleteTask(ctx context.Context, token string, result any) error
}

// Completer completes the tasks of waiting states.
type Completer struct {
	tokens Tokens
	tasks  TaskCompleter
}

// New returns a completer for the tokens of tokens.
func New(tokens Tokens, tasks TaskCompleter) *Completer {
	return &Completer{tokens: tokens, tasks: tasks}
}

// Result is the input with which a waiting state continues.
type Result struct {
	Next string `json:"next"`
}

// The results of the waiting states, and of ProcessWholeFile.
const (
	NextComplete = "COMPLETE"
	NextContinue = "CONTINUE" // parts remain for another invocation
	NextCells    = "CELL_MAPPING"
	NextAnalyze  = "ANALYZE"  // the file is to be analysed again
	NextApproval = "APPROVAL" // a plan is to be approved
	NextApply    = "APPLY"    // a plan is to be written
	NextUndo     = "UNDO"     // the plan of an undo is to be written
)

// Complete ends the wait of a phase. completed is false if no task waits yet: the await
// function will check the condition itself.
func (c *Completer) Complete(ctx context.Context, jobID job.ID, phase job.Phase, next string) (completed bool, err error) {
	token, err := c.tokens.Token(ctx, jobID, phase)
	if err != nil || token == "" {
		return false, err
	}
	return true, c.CompleteToken(ctx, token, next)
}

// CompleteIfDue ends the wait of a phase if its condition is true. It reads the token first
// and the job second. A phase can occur again: in the other order, the completion could
// reach a later wait before its condition is true.
func (c *Completer) CompleteIfDue(ctx context.Context, jobID job.ID, phase job.Phase, look func(context.Context) (*job.Job, error)) (completed bool, err error) {
	token, err := c.tokens.Token(ctx, jobID, phase)
	if err != nil || token == "" {
		return false, err
	}
	j, err := look(ctx)
	if err != nil {
		return false, err
	}
	next, due := Due(j, phase)
	if !due {
		return false, nil
	}
	return true, c.CompleteToken(ctx, token, next)
}

// CompleteToken ends the wait of a token. A closed token is no error: the execution has moved
// on.
func (c *Completer) CompleteToken(ctx context.Context, token, next string) error {
	err := c.tasks.CompleteTask(ctx, token, Result{Next: next})
	if err != nil && !errors.Is(err, job.ErrTokenClosed) {
		return fmt.Errorf("complete waiting task: %w", err)
	}
	return nil
}

// Due reports whether the condition of a job's phase is true, and the result with which the
// state then continues.
func Due(j *job.Job, phase job.Phase) (next string, due bool) {
	switch phase {
	case job.PhaseColumns, job.PhaseCells:
		return dueAfterDecisions(j.Status, phase)
	case job.PhaseRows:
		return NextAfterRows(j, j.Progress.Counts), j.Progress.RowsDone()
	case job.PhaseApproval:
		next = NextApply
		if j.Undo != nil {
			next = NextUndo
		}
		return next, j.IsApplying() || j.Status.Terminal()
	default:
		return "", false
	}
}

// dueAfterDecisions is Due for the phases in which a person decides. A job that is UPLOADED in
// one of them is to be analysed again.
func dueAfterDecisions(s job.Status, phase job.Phase) (next string, due bool) {
	switch {
	case s == job.Uploaded:
		return NextAnalyze, true
	case phase == job.PhaseColumns:
		return NextCells, s != job.ColumnMapping
	default:
		return NextComplete, s == job.Processing || s.Terminal()
	}
}

// NextAfterRows returns the state that follows when all chunks are done, with those counts. If
// a plan has been applied since the job was loaded, that state detects it.
func NextAfterRows(j *job.Job, c job.Counts) string {
	switch {
	case c.Deferred > 0:
		return NextCells
	case j.IsPlanning():
		return NextApproval
	}
	return NextComplete
}
