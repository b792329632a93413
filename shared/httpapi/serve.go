package httpapi

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/outage"
	"github.com/loadbay/loadbay/shared/runtime/telemetry"
)

// maxBodyBytes is the maximum number of bytes that are read of a request's body: a file of maxFile
// and the other fields of its form.
const maxBodyBytes = maxFile + 256<<10

// serve returns the handler of the routes, with the processing that all requests have in common.
// Responses larger than most bytes, as counted by encodedBytes, are replaced by an error;
// 0 means unlimited and unbuffered responses.
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
		seen := &responseRecorder{ResponseWriter: w, maxBytes: most, language: languageOf(r)}
		began := time.Now()
		identified, err := a.identifyKey(seen, r)
		if r = identified; err == nil {
			a.recoverPanics(mux, seen, r)
		} else {
			a.respond(seen, r, func(http.ResponseWriter, *http.Request) error { return err })
		}
		if seen.tooLarge() {
			a.Log.ErrorContext(r.Context(), "response too large", "route", r.Pattern, "bytes", seen.bytes)
			seen.reset()
			writeProblem(seen, r, problem.New(problem.ResponseTooLarge, "The response is too large. Narrow the request, for example with a smaller page."))
		}
		seen.setETag(r)
		seen.release()
		a.Log.InfoContext(r.Context(), "request", "method", r.Method, "route", r.Pattern,
			"status", seen.status, "bytes", seen.bytes, "milliseconds", time.Since(began).Milliseconds())
	})
}

// setSecurityHeaders prevents browsers from storing a response, sniffing its type, embedding it as a
// page, and sending its address to others.
func setSecurityHeaders(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Referrer-Policy", "no-referrer")
}

// recoverPanics limits the effect of a panic to its own request.
func (a *api) recoverPanics(mux *http.ServeMux, w *responseRecorder, r *http.Request) {
	defer func() {
		cause := recover()
		if cause == nil {
			return
		}
		if cause == http.ErrAbortHandler { //nolint:errorlint // a panic's value
			panic(cause) // aborts the connection, as intended by the handler
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

// routeError returns the error for a request without a route: the mux knows the methods of the
// path.
func routeError(mux *http.ServeMux, w http.ResponseWriter, r *http.Request) error {
	h, _ := mux.Handler(r)
	probe := &muxRecorder{header: make(http.Header)}
	h.ServeHTTP(probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		return problem.New(problem.NotFound, "Nothing was found at this address.")
	}
	allow := probe.header.Get("Allow")
	w.Header().Set("Allow", allow)
	return problem.New(problem.MethodNotAllowed, "This address only supports %s.", allow)
}

// respond runs a handler and writes the response for its error. Internal errors are logged in full;
// for a rejected request only the code is logged, because the message may contain the caller's
// input.
func (a *api) respond(w http.ResponseWriter, r *http.Request, do handler) {
	err := do(w, r)
	if err == nil {
		return
	}
	fault := toProblem(err)
	if a.DatabaseAway != nil && outage.Database(err) {
		a.DatabaseAway()
	}
	if fault.Code.Status() >= http.StatusInternalServerError {
		a.Log.ErrorContext(r.Context(), "request failed", "error", err)
	} else {
		a.Log.InfoContext(r.Context(), "request rejected", "code", fault.Code)
	}
	writeProblem(w, r, fault)
}

// muxRecorder captures the mux's own response.
type muxRecorder struct {
	header http.Header
	status int
}

func (p *muxRecorder) Header() http.Header         { return p.header }
func (p *muxRecorder) WriteHeader(status int)      { p.status = status }
func (p *muxRecorder) Write(b []byte) (int, error) { return len(b), nil }
