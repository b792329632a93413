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

// StreamLimits bound streams.
type StreamLimits struct {
	Quotas   quota.Limits
	Lifetime time.Duration `env:"STREAM_LIFETIME" default:"10m"` // of one stream, however slowly it is read
}

// Validate asks for a lifetime.
func (l *StreamLimits) Validate() error {
	if l.Lifetime <= 0 {
		return fmt.Errorf("STREAM_LIFETIME is %s, not more than nothing", l.Lifetime)
	}
	return nil
}

// NewStream returns the handler behind the address that streams exports. Whoever
// calls it must have checked the signature of the request's query: what that says
// of the organisation is believed.
//
// X-Total-Count says how many rows the file is to have before the first one comes.
// A file that cannot be written to its end breaks the connection off.
func NewStream(db *postgres.DB, types *catalog.Catalog, limits StreamLimits, log *slog.Logger) (http.Handler, error) {
	if db == nil || types == nil || log == nil {
		return nil, errors.New("stream of exports: something it works with is missing")
	}
	if err := limits.Quotas.Validate(); err != nil {
		return nil, fmt.Errorf("stream of exports: %w", err)
	}
	s := &streamHandler{api{Dependencies: Dependencies{DB: db, Types: types, Quotas: limits.Quotas, Log: log}, idleTimeout: limits.Lifetime}, limits.Lifetime}
	files := s.serve([]route{{"GET", "/{$}", "", s.streamFile}}, 0)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Set(requestIDHeader, r.URL.Query().Get("request_id")) // the request that led here goes on
		files.ServeHTTP(w, r)
	}), nil
}

// maxStream is the most bytes of a stream: Lambda passes on 200 MB of a response,
// all but the first 6 at 2 MB a second, for which it takes 100 seconds.
//
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-response-streaming.html
const maxStream = 200_000_000

// streamHandler responds to requests whose query is signed.
type streamHandler struct {
	api
	lifetime time.Duration
}

// streamFile responds with the file of a signed query, if its organisation has a slot
// left for it: whoever reads slowly takes one of their own organisation's only.
func (s *streamHandler) streamFile(w http.ResponseWriter, r *http.Request) error {
	p, err := readTicket(r.URL.Query())
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), organisationKey{}, p.organisation), s.lifetime)
	defer cancel()
	r = r.WithContext(telemetry.With(ctx, "organisation_id", p.organisation))
	what, err := s.parseExportFile(newValues(r.URL.Query()))
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

// WithAfterResponse returns a context of a request whose response is still being sent when the
// handler has ended: after takes what is to be done once that is over.
func WithAfterResponse(ctx context.Context, after func(do func())) context.Context {
	return context.WithValue(ctx, afterResponseKey{}, after)
}

// slotGracePeriod is how much longer than its stream a slot is taken, should nobody give
// it back; releaseTimeout is how long giving it back may take.
const (
	slotGracePeriod = time.Minute
	releaseTimeout  = 5 * time.Second
)

func (s *streamHandler) releaseSlot(ctx context.Context, organisation tenant.ID, slot uuid.UUID) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	if err := s.DB.ReleaseStream(ctx, organisation, slot); err != nil {
		s.Log.WarnContext(ctx, "the slot of a stream is taken until it expires", "error", err)
	}
}

// streamTo writes the file. One that breaks off does so by a panic.
func (a *api) streamTo(w http.ResponseWriter, r *http.Request, what exportFile) error {
	began := time.Now()
	file := &streamedFile{ResponseWriter: w, description: what}
	rows, err := a.writeExport(r, what, file)
	if err == nil {
		err = file.sendHeld() // what is small has been held to its end
	}
	if err == nil {
		a.Log.InfoContext(r.Context(), "export streamed", "import_type", what.decl.Name, "format", what.format,
			"total_records", rows, "bytes", file.size, "duration_ms", time.Since(began).Milliseconds())
	}
	if err != nil && file.begun {
		a.Log.ErrorContext(r.Context(), "stream broke off", "bytes", file.size, "error", err)
		panic(http.ErrAbortHandler)
	}
	return err
}

// streamedFile is a response that begins when enough of the file is written to know
// that it will fit: an error before that gets the usual response.
type streamedFile struct {
	http.ResponseWriter
	description exportFile
	records     int64
	held        bytes.Buffer // until it begins
	begun       bool
	size        int64
}

// What is held back to see how large rows are: enough that the part of it that
// the file's writer still buffers does not count, and not much more.
const (
	minHeldBytes = 4 << 20
	maxHeldBytes = 8 << 20
)

func (f *streamedFile) maxCountedRows() int64 { return math.MaxInt64 }

func (f *streamedFile) expectRows(records int64) error {
	f.records = records
	return nil
}

// checkSize refuses a file whose first rows say that it will not fit. A workbook shows
// nothing before its end.
func (f *streamedFile) checkSize(rows int64) error {
	if f.begun || f.size < minHeldBytes {
		return nil
	}
	if float64(f.size)/float64(rows)*float64(f.records) > maxStream {
		return streamTooLarge()
	}
	return f.sendHeld()
}

// sendHeld sends what has been held back.
func (f *streamedFile) sendHeld() error {
	if f.begun {
		return nil
	}
	f.begun = true
	f.description.describe(f.Header(), f.records)
	f.WriteHeader(http.StatusOK)
	_, err := f.held.WriteTo(f.ResponseWriter)
	f.held = bytes.Buffer{} // its memory
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
	return problem.New(problem.ExportTooLarge, "The export is larger than the %d MB that a stream carries. Ask for it with POST /v1/exports.", maxStream/1_000_000)
}
