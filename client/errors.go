package client

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/loadbay/loadbay/client/api"
)

// Error is an unsuccessful response.
type Error struct {
	// Problem is the body of the response: Code is for programs, Detail for people, and Errors
	// describes parts of the request. Code is empty if something in front of the API responded,
	// such as a gateway.
	api.Problem
}

// Error returns the API's message, followed by the messages about parts of the request.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Detail)
	for _, part := range e.Errors {
		fmt.Fprintf(&b, "\n  %s: %s", part.Field, part.Message)
	}
	return b.String()
}

// HasCode reports whether err's chain contains an API error with that code, such as
// QUOTA_OPEN_IMPORTS.
func HasCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// HasStatus reports whether err's chain contains a response with that status.
func HasStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// maxProblemBytes limits how much of an unsuccessful response is read, in bytes.
const maxProblemBytes = 1 << 20

// responseError converts an unsuccessful response into an error and closes its body.
func responseError(resp *http.Response) error {
	defer resp.Body.Close()
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxProblemBytes))
	if err != nil {
		return fmt.Errorf("read the response %s: %w", resp.Status, err)
	}
	e := &Error{}
	if json.Unmarshal(text, &e.Problem) != nil || e.Code == "" {
		e.Problem = api.Problem{Title: http.StatusText(resp.StatusCode), Detail: gatewayMessage(resp, text), RequestID: resp.Header.Get("X-Request-ID")}
	}
	e.Status = resp.StatusCode
	return e
}

// gatewayMessage describes a response that did not come from the API.
func gatewayMessage(resp *http.Response, text []byte) string {
	var gateway api.GatewayError
	if json.Unmarshal(text, &gateway) == nil && gateway.Message != "" {
		return fmt.Sprintf("The server responded with %s: %s", resp.Status, gateway.Message)
	}
	if to, err := resp.Location(); err == nil {
		return fmt.Sprintf("The server responded with %s to %s. Check the URL of the installation.", resp.Status, to.Host)
	}
	return fmt.Sprintf("The server responded with %s.", resp.Status)
}
