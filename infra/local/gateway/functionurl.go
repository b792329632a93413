package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"

	"github.com/aws/aws-lambda-go/events"
	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/local/awsendpoint"
	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// Streamer runs functions and streams their responses.
type Streamer interface {
	InvokeStream(ctx context.Context, function string, payload []byte) (*lambdahost.Stream, error)
}

// FunctionURLAuthorizer decides who may call a function URL.
type FunctionURLAuthorizer interface {
	// AuthorizeFunctionURL returns the access key of the signer, if the signature is valid
	// and the signer may call the function.
	AuthorizeFunctionURL(r *http.Request, function string) (accessKey string, err error)
}

// functionURLHandler serves the function URLs.
type functionURLHandler struct {
	functions  map[string]bool
	streamer   Streamer
	authorizer FunctionURLAuthorizer
	log        *slog.Logger
}

// NewFunctionURLs returns the handler for paths below awsendpoint.FunctionURLPath, in which
// the function's name comes next. It behaves like function URLs on AWS with the authorisation
// AWS_IAM and the invoke mode RESPONSE_STREAM. Requests that callers does not authorise are
// rejected. If a response is interrupted, so is the connection, so that no caller takes the
// response for complete.
//
// https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
func NewFunctionURLs(functions []string, streamer Streamer, callers FunctionURLAuthorizer, log *slog.Logger) http.Handler {
	u := &functionURLHandler{functions: map[string]bool{}, streamer: streamer, authorizer: callers, log: log}
	for _, name := range functions {
		u.functions[name] = true
	}
	return u
}

// ServeHTTP implements http.Handler.
func (u *functionURLHandler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name, path, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, awsendpoint.FunctionURLPath), "/")
	if !u.functions[name] {
		WriteError(w, http.StatusNotFound, "Not Found")
		return
	}
	if r.Method != http.MethodGet {
		WriteError(w, http.StatusMethodNotAllowed, "Method Not Allowed") // as in our functions' CORS rules
		return
	}
	caller, err := u.authorizer.AuthorizeFunctionURL(r, name)
	if err != nil {
		u.log.Info("function URL called without permission", "function", name, "error", err)
		WriteError(w, http.StatusForbidden, "Forbidden")
		return
	}
	id := uuid.NewString()
	w.Header().Set("X-Amzn-Requestid", id)
	event, err := json.Marshal(u.newEvent(r, id, "/"+path, caller))
	if err == nil {
		err = u.stream(w, r, name, event)
	}
	var apiErr *awsjson.Error
	switch {
	case errors.As(err, &apiErr) && apiErr.Code == "TooManyRequestsException":
		WriteError(w, http.StatusTooManyRequests, "Rate Exceeded.")
	case err != nil:
		u.log.Error("a function URL's request failed", "function", name, "requestId", id, "error", err)
		WriteError(w, http.StatusBadGateway, "Internal Server Error")
	}
}

// newEvent returns the event of a request from a caller known to IAM, in payload format 2.0,
// which function URLs share with HTTP APIs.
func (u *functionURLHandler) newEvent(r *http.Request, id, path, caller string) events.APIGatewayV2HTTPRequest {
	e := newEvent(r, origin(r, ""), "$default", id, nil, nil)
	e.RawPath, e.RequestContext.HTTP.Path = path, path
	e.RequestContext.Authorizer = &events.APIGatewayV2HTTPRequestContextAuthorizerDescription{
		IAM: &events.APIGatewayV2HTTPRequestContextAuthorizerIAMDescription{
			AccessKey: caller, AccountID: account, CallerID: caller,
			UserARN: "arn:aws:iam::" + account + ":user/" + caller, UserID: caller,
		},
	}
	return e
}

// stream copies the function's response to the client. It returns an error only before
// anything has been copied; after that it breaks the connection.
func (u *functionURLHandler) stream(w http.ResponseWriter, r *http.Request, function string, event []byte) error {
	s, err := u.streamer.InvokeStream(context.WithoutCancel(r.Context()), function, event)
	if err != nil {
		return err
	}
	defer s.Body.Close()
	body := bufio.NewReader(s.Body)
	head, err := readPrelude(body)
	if err != nil {
		return err
	}
	head.write(w)
	if _, err := io.Copy(flushWriter{w, http.NewResponseController(w)}, body); err != nil {
		u.log.Warn("response interrupted", "function", function, "error", err)
		panic(http.ErrAbortHandler)
	}
	return nil
}

// preludeEnd separates the JSON document from a streamed body. The document has the form of
// a buffered response without its body.
var preludeEnd = [8]byte{}

// maxPrelude is larger than any status and headers, in bytes.
const maxPrelude = 64 << 10

func readPrelude(r *bufio.Reader) (*response, error) {
	var document []byte
	for !bytes.HasSuffix(document, preludeEnd[:]) {
		c, err := r.ReadByte()
		if err != nil {
			return nil, fmt.Errorf("read start of function response: %w", err)
		}
		if document = append(document, c); len(document) > maxPrelude {
			return nil, errors.New("the function's response does not start with its status")
		}
	}
	return readResponse(document[:len(document)-len(preludeEnd)])
}

// flushWriter flushes after every write.
type flushWriter struct {
	io.Writer
	*http.ResponseController
}

func (f flushWriter) Write(p []byte) (int, error) {
	n, err := f.Writer.Write(p)
	if err == nil {
		err = f.Flush()
	}
	return n, err
}
