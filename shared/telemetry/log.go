// Package telemetry makes what happens visible: log lines in JSON that carry
// the ids of the request and the job, and metrics. Neither ever holds a cell's
// value.
package telemetry

import (
	"context"
	"io"
	"log/slog"

	"github.com/loadbay/loadbay/shared/job"
)

type attributes struct{}

// With returns a context whose log lines carry these attributes too, given as
// for slog.Logger.With.
func With(ctx context.Context, args ...any) context.Context {
	var r slog.Record
	r.Add(args...)
	carried, _ := ctx.Value(attributes{}).([]slog.Attr)
	next := append([]slog.Attr(nil), carried...)
	r.Attrs(func(a slog.Attr) bool {
		next = append(next, a)
		return true
	})
	return context.WithValue(ctx, attributes{}, next)
}

// NewLogger returns a logger that writes JSON lines from that level on, with
// the attributes of each line's context.
func NewLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(handler{slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

// handler adds the attributes of the context to each line.
type handler struct{ slog.Handler }

func (h handler) Handle(ctx context.Context, r slog.Record) error {
	if carried, ok := ctx.Value(attributes{}).([]slog.Attr); ok {
		r = r.Clone()
		r.AddAttrs(carried...)
	}
	return h.Handler.Handle(ctx, r)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler.WithAttrs(attrs)}
}

func (h handler) WithGroup(name string) slog.Handler { return handler{h.Handler.WithGroup(name)} }

// WithJob returns a context whose log lines say which job they are about and
// which request made it.
func WithJob(ctx context.Context, j *job.Job) context.Context {
	return With(ctx, "request_id", j.RequestID, "job_id", j.UUID, "organisation_id", j.OrganisationID, "import_type", j.ImportType)
}
