// Package callback answers the states of the workflow that wait: for a person,
// or for the last chunk of rows.
//
// The rule that makes it safe to call from anywhere, any number of times: what
// is waited for is a fact in the database. Whoever makes it true tells the
// newest token; the await function, which stores tokens, looks at the fact right
// after; and reconcile tells whatever is left. So an answer is never lost, and
// one too many meets a closed token.
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

// TaskCompleter ends a waiting task.
type TaskCompleter interface {
	CompleteTask(ctx context.Context, token string, result any) error
}

// Completer answers waiting states.
type Completer struct {
	tokens Tokens
	tasks  TaskCompleter
}

// New returns a caller.
func New(tokens Tokens, tasks TaskCompleter) *Completer {
	return &Completer{tokens: tokens, tasks: tasks}
}

// Result is what a waiting state continues with.
type Result struct {
	Next string `json:"next"`
}

// What AwaitRows continues with.
const (
	NextComplete = "COMPLETE"
	NextCells    = "CELL_MAPPING"
)

// Complete ends the wait of a phase. told is false when nobody waits yet: the await
// function will see the fact itself.
func (c *Completer) Complete(ctx context.Context, jobID job.ID, phase job.Phase, next string) (completed bool, err error) {
	token, err := c.tokens.Token(ctx, jobID, phase)
	if err != nil || token == "" {
		return false, err
	}
	return true, c.CompleteToken(ctx, token, next)
}

// CompleteIfDue is Tell if what the phase waits for has happened, by a look at the job
// that comes after the token. A phase can come again: had the look come first, its
// answer could reach a later wait, for which it is not true.
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

// CompleteToken is Tell for a token at hand. A closed token is no error: the
// execution has moved on.
func (c *Completer) CompleteToken(ctx context.Context, token, next string) error {
	err := c.tasks.CompleteTask(ctx, token, Result{Next: next})
	if err != nil && !errors.Is(err, job.ErrTokenClosed) {
		return fmt.Errorf("tell: %w", err)
	}
	return nil
}

// Due reports whether what a phase of the job waits for has happened, and what
// the state then continues with.
func Due(j *job.Job, phase job.Phase) (next string, due bool) {
	switch phase {
	case job.PhaseColumns:
		return NextCells, j.Status != job.Uploaded && j.Status != job.ColumnMapping
	case job.PhaseCells:
		return NextComplete, j.Status == job.Processing || j.Status.Terminal()
	case job.PhaseRows:
		return AfterRows(j.Progress.Counts), j.Progress.RowsDone()
	default:
		return "", false
	}
}

// AfterRows is what follows when all chunks are done.
func AfterRows(c job.Counts) string {
	if c.Deferred > 0 {
		return NextCells
	}
	return NextComplete
}
