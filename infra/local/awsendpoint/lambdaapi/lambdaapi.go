// Package lambdaapi implements Lambda's Invoke. The rest of Lambda's API is rejected with an
// error that names the operation: functions are part of the program.
//
// Source: https://docs.aws.amazon.com/lambda/latest/api/API_Invoke.html
package lambdaapi

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"github.com/google/uuid"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/awsjson"
)

// invokePath is the path of Invoke: {function} is a name or an ARN.
const invokePath = "/2015-03-31/functions/{function}/invocations"

// maxPayload exceeds the limit of any invocation; the Invoker enforces the exact one.
const maxPayload = 8 << 20

// maxAsync is Lambda's limit for asynchronous invocations.
const maxAsync = 1 << 20

// Invoker runs functions. Errors of type *awsjson.Error are returned as Lambda's errors.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error)
	// InvokeAsync accepts an event for later delivery.
	InvokeAsync(ctx context.Context, function string, event []byte) error
}

// Handler serves requests under /2015-03-31/functions/.
func Handler(invoker Invoker) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+invokePath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Amzn-RequestId", uuid.NewString())
		if err := invoke(invoker, w, r); err != nil {
			writeRefusal(w, err)
		}
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		writeRefusal(w, awsjson.Unsupported("Lambda", r.Method+" "+r.URL.Path))
	})
	return mux
}

func invoke(invoker Invoker, w http.ResponseWriter, r *http.Request) error {
	if err := refuseOptions(r); err != nil {
		return err
	}
	function := r.PathValue("function")
	payload, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxPayload))
	if err != nil {
		return awsjson.Errorf("RequestTooLargeException", "the payload cannot be read: %v", err)
	}
	if len(payload) > 0 && !json.Valid(payload) {
		return awsjson.Errorf("InvalidRequestContentException", "Could not parse request body into json")
	}
	switch kind := r.Header.Get("X-Amz-Invocation-Type"); kind {
	case "", "RequestResponse":
		return respond(invoker, w, r, function, payload)
	case "Event":
		if len(payload) > maxAsync {
			return awsjson.Errorf("RequestTooLargeException", "Request must be smaller than %d bytes for the InvokeFunction operation", maxAsync)
		}
		if err := invoker.InvokeAsync(r.Context(), function, payload); err != nil {
			return err
		}
		w.WriteHeader(http.StatusAccepted)
		return nil
	default:
		return awsjson.Unsupported("Lambda", "the invocation type "+kind)
	}
}

func respond(invoker Invoker, w http.ResponseWriter, r *http.Request, function string, payload []byte) error {
	output, functionError, err := invoker.Invoke(r.Context(), function, payload)
	if err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("X-Amz-Executed-Version", "$LATEST")
	if functionError != "" {
		header.Set("X-Amz-Function-Error", functionError)
	}
	_, _ = w.Write(output) // the caller may have disconnected
	return nil
}

// refuseOptions rejects unimplemented options that would change the invocation.
func refuseOptions(r *http.Request) error {
	if qualifier := r.URL.Query().Get("Qualifier"); qualifier != "" && qualifier != "$LATEST" {
		return awsjson.Errorf("ResourceNotFoundException", "Function not found: there are no versions but $LATEST, and no aliases: %s", qualifier)
	}
	if r.Header.Get("X-Amz-Client-Context") != "" {
		return awsjson.Unsupported("Lambda", "the client context")
	}
	if kind := r.Header.Get("X-Amz-Log-Type"); kind != "" && kind != "None" {
		return awsjson.Unsupported("Lambda", "the log type "+kind)
	}
	return nil
}

// errorStatus returns the HTTP status of an error: 400, except for those that Lambda documents
// otherwise.
func errorStatus(code string) int {
	switch code {
	case "ResourceNotFoundException":
		return http.StatusNotFound
	case "RequestTooLargeException":
		return http.StatusRequestEntityTooLarge
	case "TooManyRequestsException":
		return http.StatusTooManyRequests
	case "ServiceException":
		return http.StatusInternalServerError
	case "UnknownOperationException":
		return http.StatusNotImplemented
	}
	return http.StatusBadRequest
}

func writeRefusal(w http.ResponseWriter, err error) {
	var fault *awsjson.Error
	if !errors.As(err, &fault) {
		fault = awsjson.Errorf("ServiceException", "%v", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-ErrorType", fault.Code)
	w.WriteHeader(errorStatus(fault.Code))
	// Fails only if the caller has disconnected.
	_ = json.NewEncoder(w).Encode(struct {
		Type    string
		Message string
	}{"User", fault.Message})
}
