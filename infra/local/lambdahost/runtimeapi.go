package lambdahost

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"time"
)

// instancePath distinguishes the instances: each gets the address of the
// Runtime API with its own path, which clients prepend to theirs.
const instancePath = "/instance/"

// runtimeAPI serves the Lambda Runtime API of every instance.
func (h *Host) runtimeAPI() http.Handler {
	mux := http.NewServeMux()
	const base = instancePath + "{instance}/2018-06-01/runtime/"
	mux.HandleFunc("GET "+base+"invocation/next", h.withInstance(nextInvocation))
	mux.HandleFunc("POST "+base+"invocation/{id}/response", h.withInstance(receiveResponse))
	mux.HandleFunc("POST "+base+"invocation/{id}/error", h.withInstance(respondError))
	mux.HandleFunc("POST "+base+"init/error", h.withInstance(respondInitError))
	return mux
}

func (h *Host) withInstance(serve func(*instance, http.ResponseWriter, *http.Request)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		i, ok := h.instances.get(r.PathValue("instance"))
		if !ok {
			writeRuntimeError(w, http.StatusForbidden, "UnknownInstance", "unknown instance")
			return
		}
		serve(i, w, r)
	}
}

// nextInvocation responds as soon as there is an invocation; it has no timeout.
func nextInvocation(i *instance, w http.ResponseWriter, r *http.Request) {
	var inv *invocation
	select {
	case inv = <-i.work:
	case <-r.Context().Done():
		return
	}
	i.assign(inv)
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Lambda-Runtime-Aws-Request-Id", inv.id)
	header.Set("Lambda-Runtime-Deadline-Ms", strconv.FormatInt(time.Now().Add(inv.timeout).UnixMilli(), 10))
	header.Set("Lambda-Runtime-Invoked-Function-Arn", ARN(i.pool.function.Name))
	header.Set("Lambda-Runtime-Trace-Id", inv.trace)
	_, _ = w.Write(inv.payload) // a dead process is noticed when it ends
}

// receiveResponse reads the function's response. The invocation decides whether it is
// streamed: a function that streams may also be invoked without streaming.
func receiveResponse(i *instance, w http.ResponseWriter, r *http.Request) {
	if stream := i.responseSink(r.PathValue("id")); stream != nil {
		if i.reportOutcome(w, r, stream.copyBody(r)) {
			w.WriteHeader(http.StatusAccepted)
		}
		return
	}
	output, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxPayload))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		if i.reportOutcome(w, r, tooLargeFailure(max(r.ContentLength, MaxPayload+1))) {
			writeRuntimeError(w, http.StatusRequestEntityTooLarge, "RequestEntityTooLarge",
				"Exceeded maximum allowed payload size ("+strconv.Itoa(MaxPayload)+" bytes).")
		}
		return
	case err != nil:
		writeRuntimeError(w, http.StatusBadRequest, "InvalidResponse", err.Error())
		return
	}
	if i.reportOutcome(w, r, withTrailerError(r, outcome{output: output})) {
		w.WriteHeader(http.StatusAccepted)
	}
}

func respondError(i *instance, w http.ResponseWriter, r *http.Request) {
	document, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxPayload))
	if err != nil {
		writeRuntimeError(w, http.StatusBadRequest, "InvalidErrorShape", err.Error())
		return
	}
	if i.reportOutcome(w, r, outcome{output: document, kind: "error"}) {
		w.WriteHeader(http.StatusAccepted)
	}
}

func respondInitError(i *instance, w http.ResponseWriter, r *http.Request) {
	document, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxPayload))
	if err != nil {
		writeRuntimeError(w, http.StatusBadRequest, "InvalidErrorShape", err.Error())
		return
	}
	i.failInit(document)
	w.WriteHeader(http.StatusAccepted)
}

// reportOutcome passes the outcome to the invocation in the request's path. It rejects the
// request if the process is not working on that invocation or has already responded.
func (i *instance) reportOutcome(w http.ResponseWriter, r *http.Request, a outcome) bool {
	inv := i.finish(r.PathValue("id"))
	if inv == nil {
		writeRuntimeError(w, http.StatusBadRequest, "InvalidRequestID", "Invalid request ID")
		return false
	}
	inv.outcomes <- a
	return true
}

func writeRuntimeError(w http.ResponseWriter, status int, errorType, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	// The client is a runtime that aborts on any status but 202.
	_ = json.NewEncoder(w).Encode(failureDocument{ErrorType: errorType, ErrorMessage: message})
}
