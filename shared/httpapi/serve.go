package httpapi

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// maxBodyBytes is the most of a request's body that is read: a file of maxFile and
// the fields of its form.
const maxBodyBytes = maxFile + 256<<10

// serve returns the handler of the routes, with all that a request goes
// through before and after its own handler.
// Responses that have more than most bytes, as encodedBytes counts them, are not given;
// 0 lets them go while they are written, whatever their size.
func (a *api) serve(routes []route, most int) http.Handler {
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.HandleFunc(r.method+" "+r.path, func(w http.ResponseWriter, request *http.Request) {
			a.respond(w, request, a.authorise(r.scope, checkStorable(a.goneIfPurged(r.do))))
		})
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id := requestID(r)
		w.Header().Set(requestIDHeader, id)
		setSecurityHeaders(w.Header())
		r = r.WithContext(withRequestID(telemetry.With(r.Context(), "request_id", id), id))
		r.Body = http.MaxBytesReader(w, r.Body, maxBodyBytes)
		seen := &responseRecorder{ResponseWriter: w, maxBytes: most}
		began := time.Now()
		a.recoverPanics(mux, seen, r)
		if seen.tooLarge() {
			a.Log.ErrorContext(r.Context(), "response too large", "route", r.Pattern, "bytes", seen.bytes)
			seen.reset()
			writeProblem(seen, r, problem.New(problem.ResponseTooLarge, "What was asked for is more than a response can carry. Ask for less of it."))
		}
		seen.setETag(r)
		seen.release()
		a.Log.InfoContext(r.Context(), "request", "method", r.Method, "route", r.Pattern,
			"status", seen.status, "bytes", seen.bytes, "milliseconds", time.Since(began).Milliseconds())
	})
}

// setSecurityHeaders keeps browsers from storing a response, from taking it for what it does not say
// it is, from showing it as a page, and from telling others its address.
func setSecurityHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
}

// recoverPanics turns a panic of one request into its own failure.
func (a *api) recoverPanics(mux *http.ServeMux, w *responseRecorder, r *http.Request) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause == http.ErrAbortHandler { //nolint:errorlint // a panic's value
			panic(cause) // breaks the connection off, which is what the handler wants
		}
		a.Log.ErrorContext(r.Context(), "panic", "cause", fmt.Sprint(cause), "stack", string(debug.Stack()))
		w.reset()
		if w.status == 0 {
			writeProblem(w, r, problem.From(fmt.Errorf("panic: %v", cause)))
		}
	}()
	if _, pattern := mux.Handler(r); pattern == "" {
		a.respond(w, r, func(http.ResponseWriter, *http.Request) error { return routeError(mux, w, r) })
		return
	}
	mux.ServeHTTP(w, r)
}

// routeError says what is wrong with a request that no route takes: the mux
// knows which methods its path has.
func routeError(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) error {
	h, _ := mux.Handler(r)
	probe := &muxRecorder{header: make(http.Header)}
	h.ServeHTTP(probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		return problem.New(problem.NotFound, "There is nothing at this address.")
	}
	allow := probe.header.Get("Allow")
	w.Header().Set("Allow", allow)
	return problem.New(problem.MethodNotAllowed, "This address takes %s only.", allow)
}

// respond runs a handler and writes the response for its error. An internal error is
// logged in full; of a refusal only the code is logged, because its text may repeat what
// the caller sent.
func (a *api) respond(w http.ResponseWriter, r *http.Request, do handler) {
	err := do(w, r)
	if err == nil {
		return
	}
	fault := toProblem(err)
	if fault.Code.Status() >= http.StatusInternalServerError {
		a.Log.ErrorContext(r.Context(), "request failed", "error", err)
	} else {
		a.Log.InfoContext(r.Context(), "request refused", "code", fault.Code)
	}
	writeProblem(w, r, fault)
}

// muxRecorder catches the mux's own response.
type muxRecorder struct {
	header http.Header
	status int
}

func (p *muxRecorder) Header() http.Header         { return p.header }
func (p *muxRecorder) WriteHeader(status int)      { p.status = status }
func (p *muxRecorder) Write(b []byte) (int, error) { return len(b), nil }
