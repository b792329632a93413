// Package drop starts imports when objects arrive in the bucket.
package drop

import (
	"context"
	"log/slog"

	"github.com/loadbay/loadbay/shared/intake"
	"github.com/loadbay/loadbay/shared/job"
)

// Intake takes note of uploads.
type Intake interface {
	Arrived(ctx context.Context, ref job.Ref) error
}

// Step is the drop function.
type Step struct {
	intake Intake
	log    *slog.Logger
}

// New returns the step.
func New(i Intake, log *slog.Logger) *Step { return &Step{intake: i, log: log} }

// Object is an object that has been stored.
type Object struct {
	Key  string
	Size int64
}

// Run takes note of an object. Events come at least once, in any order, and also
// for objects that the API has stored itself; all of that is harmless.
func (s *Step) Run(ctx context.Context, o Object) error {
	ref, ok := intake.ParseSourceKey(o.Key)
	if !ok {
		s.log.WarnContext(ctx, "object ignored: its place means nothing", "size_bytes", o.Size)
		return nil
	}
	return s.intake.Arrived(ctx, ref)
}
