// Package problem defines the errors that Loadbay shows to its users. Each has a code for
// programs and a message for people, which never contains a secret. Every other error is
// shown as "INTERNAL" and logged in full.
package problem

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Error is an error that may be shown to the caller or stored with a job.
type Error struct {
	Code    Code
	Message string
	// Unlogged means that Message contains text of the file, such as a header, which may not be in
	// logs: Error omits it.
	Unlogged bool
	// Fields names the invalid parts of the input, if any.
	Fields []Field
	// RetryAfter is the recommended delay before a retry; 0 uses the default of the code.
	RetryAfter time.Duration
	// cause is only logged.
	cause error
}

// Field is one invalid part of an input: a parameter, a column, a cell.
type Field struct {
	Field   string `json:"field"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// New returns an error with a message for people.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap is New with the error that caused it. The cause is logged and matched by errors.Is,
// but never shown.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.cause = cause
	return e
}

// With adds an invalid part and returns the error.
func (e *Error) With(field string, code Code, message string) *Error {
	e.Fields = append(e.Fields, Field{Field: field, Code: code, Message: message})
	return e
}

// OneOf lists the allowed values for people: "One of insert, upsert."
func OneOf[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return "One of " + strings.Join(texts, ", ") + "."
}

func (e *Error) Error() string {
	if e.Unlogged {
		return string(e.Code)
	}
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.cause }

// From returns the Error in err's chain, or an INTERNAL one that hides err.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Wrap(err, Internal, "Internal error. Try again; if the error persists, send the request ID to support.")
}

// CodeOf returns the code of the Error in err's chain: INTERNAL if there is none, and "" for
// nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}
