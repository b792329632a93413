// Package telemetry writes JSON log lines, which carry the ids of the request and the job, and
// metrics. Neither ever contains a cell's value.
package telemetry

import (
	"context"
	"io"
	"log/slog"
	"slices"
	"sync/atomic"

	"github.com/loadbay/loadbay/shared/job"
)

type (
	attributes struct{}
	scope      struct{}
)

// With returns a context that adds these attributes to its log lines, in the form of
// slog.Logger.With.
func With(ctx context.Context, args ...any) context.Context {
	var r slog.Record
	r.Add(args...)
	carried, _ := ctx.Value(attributes{}).([]slog.Attr)
	next := slices.Clone(carried)
	r.Attrs(func(a slog.Attr) bool {
		next = append(next, a)
		return true
	})
	return context.WithValue(ctx, attributes{}, next)
}

// Scope returns a context for one event. Once a step has identified the job of the event
// (WithJob), all lines of the scope carry the job's attributes, including those of the step's
// callers, who only see its error.
func Scope(ctx context.Context) context.Context {
	return context.WithValue(ctx, scope{}, new(atomic.Pointer[[]slog.Attr]))
}

// WithJob adds the job, and the request that created it, to the log lines of the context's
// scope.
func WithJob(ctx context.Context, j *job.Job) context.Context {
	attrs := []slog.Attr{
		slog.String("request_id", j.RequestID), slog.String("job_id", string(j.ID)),
		slog.Int64("organisation_id", int64(j.OrganisationID)), slog.String("import_type", j.ImportType),
	}
	if holder, ok := ctx.Value(scope{}).(*atomic.Pointer[[]slog.Attr]); ok {
		holder.Store(&attrs)
		return ctx
	}
	return context.WithValue(ctx, scope{}, newScope(attrs))
}

func newScope(attrs []slog.Attr) *atomic.Pointer[[]slog.Attr] {
	holder := new(atomic.Pointer[[]slog.Attr])
	holder.Store(&attrs)
	return holder
}

// NewLogger returns a logger that writes JSON lines from level on, with the attributes of each
// line's context and without duplicate keys.
func NewLogger(w io.Writer, level slog.Leveler) *slog.Logger {
	return slog.New(handler{Handler: slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level})})
}

// handler adds the attributes of the context to each line.
type handler struct {
	slog.Handler
	loggerAttrs []slog.Attr // of the logger itself
}

// Handle writes a line. For a duplicate key, the closest value wins: that of the line itself,
// then of its context, its job, and the logger.
func (h handler) Handle(ctx context.Context, r slog.Record) error {
	line := newAttrs(h.loggerAttrs)
	if holder, ok := ctx.Value(scope{}).(*atomic.Pointer[[]slog.Attr]); ok {
		if about := holder.Load(); about != nil {
			line.set(*about...)
		}
	}
	carried, _ := ctx.Value(attributes{}).([]slog.Attr)
	line.set(carried...)
	r.Attrs(func(a slog.Attr) bool {
		line.set(a)
		return true
	})
	once := slog.NewRecord(r.Time, r.Level, r.Message, r.PC)
	once.AddAttrs(line.attrs...)
	return h.Handler.Handle(ctx, once)
}

func (h handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return handler{h.Handler, slices.Concat(h.loggerAttrs, attrs)}
}

func (h handler) WithGroup(name string) slog.Handler {
	return handler{Handler: h.Handler.WithAttrs(newAttrs(h.loggerAttrs).attrs).WithGroup(name)}
}
