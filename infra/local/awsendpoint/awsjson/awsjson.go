// Package awsjson implements the wire protocol of SQS, Step Functions and DynamoDB: POST /, an
// X-Amz-Target of "<Service>.<Operation>", and JSON in both directions.
// Source: https://smithy.io/2.0/aws/protocols/aws-json-1_0-protocol.html
package awsjson

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// maxBody limits a request: the largest is a batch of messages to SQS, 1 MiB before JSON
// escaping.
const maxBody = 8 << 20

// Service serves the operations of one AWS service.
type Service interface {
	// Target is the prefix of X-Amz-Target, such as "AmazonSQS".
	Target() string
	// Call runs one operation on its JSON input and returns the value to marshal. An *Error is
	// returned to the caller.
	Call(ctx context.Context, operation string, input []byte) (any, error)
}

// Error is an error in AWS's format.
type Error struct {
	Code    string // with the namespace of the service, if any, as in "com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException"
	Message string
	// Query is the value of x-amzn-query-error, if SDKs expect it (SQS).
	Query string
	// Fields are additional members of the error's body, by name.
	Fields map[string]any
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Errorf returns an error with a formatted message.
func Errorf(code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// Unsupported returns the error for a feature that the local stack does not implement. It names
// the feature, because ignoring a part of a request would look like a success.
func Unsupported(service, what string) *Error {
	return Errorf("UnknownOperationException", "the local %s does not implement %s", service, what)
}

// Handler routes requests to the services by their targets.
func Handler(services ...Service) http.Handler {
	byTarget := make(map[string]Service, len(services))
	for _, s := range services {
		byTarget[s.Target()] = s
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target, operation, _ := strings.Cut(r.Header.Get("X-Amz-Target"), ".")
		service, ok := byTarget[target]
		if !ok {
			writeErrorBody(w, Unsupported("endpoint", fmt.Sprintf("the service %q", target)))
			return
		}
		input, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil {
			writeErrorBody(w, Errorf("RequestEntityTooLarge", "the request is larger than %d bytes", maxBody))
			return
		}
		output, err := service.Call(r.Context(), operation, input)
		if err != nil {
			writeErrorBody(w, err)
			return
		}
		writeResponse(w, http.StatusOK, output)
	})
}

// DecodeStrict decodes an operation's input and rejects members that the Go type does not have,
// because they would be ignored silently.
func DecodeStrict(service string, input []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(target)
	var fault *Error
	if err == nil || errors.As(err, &fault) { // an UnmarshalJSON method may return one
		return err
	}
	if _, member, unknown := strings.Cut(err.Error(), "unknown field "); unknown {
		return Unsupported(service, "the member "+member)
	}
	return Errorf("SerializationException", "%v", err)
}

// WriteError responds to a request with an error.
func WriteError(w http.ResponseWriter, fault *Error) { writeErrorBody(w, fault) }

func writeErrorBody(w http.ResponseWriter, err error) {
	var e *Error
	status := http.StatusBadRequest
	if !errors.As(err, &e) {
		e, status = Errorf("InternalServerError", "%v", err), http.StatusInternalServerError
	}
	if e.Query != "" {
		w.Header().Set("x-amzn-query-error", e.Query)
	}
	w.Header().Set("X-Amzn-ErrorType", e.Code)
	body := map[string]any{"__type": e.Code, "message": e.Message}
	for name, value := range e.Fields {
		body[name] = value
	}
	writeResponse(w, status, body)
}

func writeResponse(w http.ResponseWriter, status int, output any) {
	body := []byte("{}")
	if output != nil {
		var err error
		if body, err = json.Marshal(output); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	h := w.Header()
	h.Set("Content-Type", "application/x-amz-json-1.0")
	h.Set("X-Amzn-RequestId", uuid.NewString())
	h.Set("X-Amz-Crc32", strconv.FormatUint(uint64(crc32.ChecksumIEEE(body)), 10))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the caller may have disconnected
}
