package telemetry

import (
	"context"
	"log/slog"

	"github.com/loadbay/loadbay/shared/job"
)

// Transitions counts and logs status changes.
type Transitions struct {
	log     *slog.Logger
	metrics *Metrics
}

// NewTransitions returns a recorder of transitions.
func NewTransitions(log *slog.Logger, metrics *Metrics) *Transitions {
	return &Transitions{log: log, metrics: metrics}
}

// Record records one transition, after its transaction has committed.
func (t *Transitions) Record(ctx context.Context, j *job.Job, from, to job.Status) {
	t.metrics.Count("import.status.transitions", 1,
		Dimension{"importType", j.TypeDimension()}, Dimension{"from", string(from)}, Dimension{"to", string(to)})
	t.log.InfoContext(ctx, "status changed", append([]any{"from", from, "to", to}, resultAttributes(j, to)...)...)
}

// resultAttributes returns the result attributes of a finished job, even if it is incomplete.
func resultAttributes(j *job.Job, to job.Status) []any {
	if !to.Terminal() {
		return nil
	}
	p := j.Progress
	return []any{
		"success_count", p.Counts.Success(), "unchanged_count", p.Counts.Unchanged, "skipped_count", p.Counts.Skipped, "error_count", p.Counts.Errored,
		"unprocessed_count", p.Unprocessed(), "file_lines", p.FileLines,
	}
}
