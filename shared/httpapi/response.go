package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/loadbay/loadbay/shared/entity/pgtable"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/runtime/outage"
)

// retryAfter is the recommended delay in seconds before polling a job or repeating a request that
// is in progress.
const retryAfter = "2"

// writeJSON responds with a document.
func writeJSON(w http.ResponseWriter, status int, document any) error {
	body, err := json.Marshal(document)
	if err != nil {
		return fmt.Errorf("write response: %w", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(body, '\n')) // fails only if the caller has disconnected
	return nil
}

// problemDetails is the JSON form of a *problem.Error: RFC 9457 with a machine-readable code.
type problemDetails struct {
	Type      string          `json:"type"`
	Title     string          `json:"title"`
	Status    int             `json:"status"`
	Detail    string          `json:"detail"`
	Instance  string          `json:"instance"`
	Code      problem.Code    `json:"code"`
	Errors    []problem.Field `json:"errors"`
	RequestID string          `json:"requestId"`
}

// writeProblem responds with a problem document.
func writeProblem(w http.ResponseWriter, r *http.Request, fault *problem.Error) {
	status := fault.Code.Status()
	switch fault.Code {
	case problem.StillRunning, problem.IdempotencyInFlight, problem.TooManyRequests, problem.Unavailable:
		w.Header().Set("Retry-After", retryAfter)
	}
	if after := fault.RetryAfter; after > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(int64(math.Ceil(after.Seconds())), 10))
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	l := languageOf(r)
	faults := make([]problem.Field, len(fault.Fields))
	for i, f := range fault.Fields {
		faults[i] = problem.Field{Field: f.Field, Code: f.Code, Message: l.Text(f.Message)}
	}
	// Writing fails only if the caller has disconnected.
	_ = json.NewEncoder(w).Encode(problemDetails{
		Type:      problemPath + string(fault.Code),
		Title:     codeTitle(fault.Code),
		Status:    status,
		Detail:    l.Text(fault.Message),
		Instance:  r.URL.EscapedPath(),
		Code:      fault.Code,
		Errors:    faults,
		RequestID: requestIDOf(r.Context()),
	})
}

// codeTitle returns a code as a title: "Bad JSON".
func codeTitle(code problem.Code) string {
	words := strings.Split(string(code), "_")
	for i, word := range words {
		switch word {
		case "JSON", "URL", "XML", "UUID", "NUL":
		default:
			words[i] = strings.ToLower(word)
		}
	}
	text := strings.Join(words, " ")
	return strings.ToUpper(text[:1]) + text[1:]
}

// toProblem returns the error for the caller.
func toProblem(err error) *problem.Error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return problem.Wrap(err, problem.FileTooLarge, "%s", formTooLarge)
	}
	if outage.Locked(err) {
		fault := problem.Wrap(err, problem.Unavailable, "Another program has locked the table for longer than %s. Try again in a moment.", pgtable.LockTimeout)
		fault.RetryAfter = wakeDelay
		return fault
	}
	if outage.Database(err) {
		fault := problem.Wrap(err, problem.Unavailable, "The database is not available yet; it may be starting. Try again in a moment.")
		fault.RetryAfter = wakeDelay
		return fault
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return problem.Wrap(err, problem.Unavailable, "The request timed out. Try again in a moment.")
	}
	return problem.From(err)
}

// wakeDelay is the usual time that a paused database needs to resume.
const wakeDelay = 15 * time.Second
