// Package problem defines the errors that Loadbay shows to its users. Each has a code,
// which programs match, and a message, which people read and which never holds a
// secret. Every other error is "INTERNAL" outside and is logged in full.
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
	// Fields names the parts of the input that are at fault, if any.
	Fields []Field
	// RetryAfter is when it is worth trying again; 0: the code decides.
	RetryAfter time.Duration
	// cause is for the log only.
	cause error
}

// Field is one faulty part of an input: a parameter, a column, a cell.
type Field struct {
	Field   string `json:"field"`
	Code    Code   `json:"code"`
	Message string `json:"message"`
}

// New returns a fault with a message made for people.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Wrap is New with the error that caused the fault; the cause is logged and
// matched by errors.Is, and never shown.
func Wrap(cause error, code Code, format string, args ...any) *Error {
	e := New(code, format, args...)
	e.cause = cause
	return e
}

// With adds a faulty part and returns the fault.
func (e *Error) With(field string, code Code, message string) *Error {
	e.Fields = append(e.Fields, Field{Field: field, Code: code, Message: message})
	return e
}

// OneOf says what may be given, for people: "One of insert, upsert."
func OneOf[T ~string](values []T) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = string(v)
	}
	return "One of " + strings.Join(texts, ", ") + "."
}

func (e *Error) Error() string {
	if e.cause != nil {
		return fmt.Sprintf("%s: %s: %v", e.Code, e.Message, e.cause)
	}
	return fmt.Sprintf("%s: %s", e.Code, e.Message)
}

func (e *Error) Unwrap() error { return e.cause }

// From returns the fault in err's chain, or an INTERNAL one that hides err.
func From(err error) *Error {
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return Wrap(err, Internal, "Something went wrong on our side. Try again; if it persists, give support the request id.")
}

// CodeOf is the code of the fault in err's chain: INTERNAL where there is none,
// and empty for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	return From(err).Code
}
