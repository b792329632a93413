package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/postgres"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// StreamLimits configures the limits of streams.
type StreamLimits struct {
	Quotas   quota.Limits
	Lifetime time.Duration `env:"STREAM_LIFETIME" default:"10m"` // of one stream, however slowly it is read
}

// Validate checks that the lifetime is set.
func (l *StreamLimits) Validate() error {
	if l.Lifetime <= 0 {
		return fmt.Errorf("STREAM_LIFETIME is %s; it must be positive", l.Lifetime)
	}
	return nil
}

// NewStream returns the handler for the address that streams exports. The caller must have
// verified the signature of the request's query: the handler trusts the organisation in it.
//
// X-Total-Count contains the number of rows before the first row is sent. If a file cannot be
// completed, the connection is aborted.
func NewStream(db *postgres.DB, types *catalog.Catalog, limits StreamLimits, log *slog.Logger) (http.Handler, error) {
	if db == nil || types == nil || log == nil {
		return nil, errors.New("stream exports: missing dependency")
	}
	if err := limits.Quotas.Validate(); err != nil {
		return nil, fmt.Errorf("stream exports: %w", err)
	}
	s := &streamHandler{api{Dependencies: Dependencies{DB: db, Types: types, Quotas: limits.Quotas, Log: log}, idleTimeout: limits.Lifetime}, limits.Lifetime}
	files := s.serve([]route{{"GET", "/{$}", "", s.streamFile}}, 0)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set(requestIDHeader, r.URL.Query().Get("request_id")) // continues the request that led to the redirect
		files.ServeHTTP(w, r)
	}), nil
}

// maxStream is the maximum size of a stream in bytes: Lambda limits a streamed response to 200 MB,
// at 2 MB a second after the first 6 MB, which takes 100 seconds.
//
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
const maxStream = 200_000_000

// streamHandler responds to requests with a signed query.
type streamHandler struct {
	api
	lifetime time.Duration
}

// streamFile responds with the file of a signed query if its organisation has a free slot, so that
// slow readers only use slots of their own organisation.
func (s *streamHandler) streamFile(w http.ResponseWriter, r *http.Request) error {
	p, err := readTicket(r.URL.Query())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), organisationKey{}, p.organisation), s.lifetime)
	defer cancel()
	r = r.WithContext(telemetry.With(ctx, "organisation_id", p.organisation))
	what, err := s.parseExportFile(r, newValues(r.URL.Query()))
	if err != nil {
		return err
	}
	slot := uuid.New()
	if err := s.DB.AcquireStream(ctx, p.organisation, slot, s.Quotas, s.lifetime+slotGracePeriod); err != nil {
		return err
	}
	release := func() { s.releaseSlot(ctx, p.organisation, slot) }
	if after, ok := ctx.Value(afterResponseKey{}).(func(func())); ok {
		after(release)
	} else {
		defer release()
	}
	return s.streamTo(w, r, what)
}

type afterResponseKey struct{}

// WithAfterResponse returns a context for a request with a response that may still be in transfer when
// the handler returns: after registers functions to call once the transfer is complete.
func WithAfterResponse(ctx context.Context, after func(do func())) context.Context {
	return context.WithValue(ctx, afterResponseKey{}, after)
}

// slotGracePeriod is the time after the stream's lifetime when an unreleased slot expires.
const slotGracePeriod = time.Minute

// releaseSlot releases a slot, also if the caller is gone.
func (a *api) releaseSlot(ctx context.Context, organisation tenant.ID, slot uuid.UUID) {
	if err := a.DB.ReleaseAcquired(ctx, organisation, slot); err != nil {
		a.Log.WarnContext(ctx, "release slot; it is occupied until it expires", "error", err)
	}
}

// streamTo writes the file. It panics to abort an incomplete file.
func (a *api) streamTo(w http.ResponseWriter, r *http.Request, what exportFile) error {
	began := time.Now()
	file := &streamedFile{ResponseWriter: w, description: what}
	rows, err := a.writeExport(r, what, file)
	if err == nil {
		err = file.sendHeld() // a small file is still buffered completely
	}
	if err == nil {
		a.Log.InfoContext(r.Context(), "export streamed", "import_type", what.decl.Name, "format", what.format,
			"total_records", rows, "bytes", file.size, "duration_ms", time.Since(began).Milliseconds())
	}
	if err != nil && file.begun {
		a.Log.ErrorContext(r.Context(), "stream interrupted", "bytes", file.size, "error", err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// streamedFile is a response that begins once enough of the file is written to predict that it
// will fit: an error before that gets a normal error response.
type streamedFile struct {
	http.ResponseWriter
	description exportFile
	records     int64
	held        bytes.Buffer // until the response begins
	begun       bool
	size        int64
}

// The buffer sizes for estimating the size of rows: large enough that data in the buffer of the
// file's writer does not matter, and not much larger.
const (
	minHeldBytes = 4 << 20
	maxHeldBytes = 8 << 20
)

func (f *streamedFile) maxCountedRows() int64 { return math.MaxInt64 }

func (f *streamedFile) expectRows(records int64) error {
	f.records = records
	return nil
}

// checkSize rejects a file if its first rows predict that it will not fit. The size of a workbook
// is known only at its end.
func (f *streamedFile) checkSize(rows int64) error {
	if f.begun || f.size < minHeldBytes {
		return nil
	}
	if float64(f.size)/float64(rows)*float64(f.records) > maxStream {
		return streamTooLarge()
	}
	return f.sendHeld()
}

// sendHeld sends the buffered data.
func (f *streamedFile) sendHeld() error {
	if f.begun {
		return nil
	}
	f.begun = true
	f.description.describe(f.Header(), f.records)
	f.WriteHeader(http.StatusOK)
	_, err := f.held.WriteTo(f.ResponseWriter)
	f.held = bytes.Buffer{} // frees the memory
	return err
}

func (f *streamedFile) Write(p []byte) (int, error) {
	if f.size += int64(len(p)); f.size > maxStream {
		return 0, streamTooLarge()
	}
	if !f.begun && f.held.Len()+len(p) <= maxHeldBytes {
		return f.held.Write(p)
	}
	if err := f.sendHeld(); err != nil {
		return 0, err
	}
	return f.ResponseWriter.Write(p)
}

func streamTooLarge() error {
	return problem.New(problem.ExportTooLarge, "The export is larger than the %d MB that a stream can have. Create it with POST /v1/exports.", maxStream/1_000_000)
}
