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

// Error is a response that is no success.
type Error struct {
	// Problem is what the API says: Code for programs, Detail for people, Errors about
	// parts of what was sent. Where something in front of the API answers, such as a
	// gateway, Code is empty.
	api.Problem
}

// Error is the API's sentence, with those about parts behind it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Detail)
	for _, part := range e.Errors {
		fmt.Fprintf(&b, "\n  %s: %s", part.Field, part.Message)
	}
	return b.String()
}

// HasCode reports whether an error in err's chain is the API's with that code, such as
// QUOTA_OPEN_IMPORTS.
func HasCode(err error, code string) bool {
	var e *Error
	return errors.As(err, &e) && e.Code == code
}

// HasStatus reports whether an error in err's chain is a response with that status.
func HasStatus(err error, status int) bool {
	var e *Error
	return errors.As(err, &e) && e.Status == status
}

// maxProblemBytes bounds what is read of a response that is no success, in bytes.
const maxProblemBytes = 1 << 20

// responseError makes an error of a response that is no success, and closes it.
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

// gatewayMessage is what a response says that the API did not make.
func gatewayMessage(resp *http.Response, text []byte) string {
	var gateway api.GatewayError
	if json.Unmarshal(text, &gateway) == nil && gateway.Message != "" {
		return fmt.Sprintf("The server answered %s: %s", resp.Status, gateway.Message)
	}
	return fmt.Sprintf("The server answered %s.", resp.Status)
}
