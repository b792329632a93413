// Package lambdaapi is Lambda's Invoke on the wire. All else of Lambda's API
// is refused by name: functions come with the program.
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

// Path is where Invoke lives: {function} is a name or an ARN.
const Path = "/2015-03-31/functions/{function}/invocations"

// maxPayload is more than any invocation may carry; the Invoker knows the exact limit.
const maxPayload = 8 << 20

// maxAsync is Lambda's limit for asynchronous invocations.
const maxAsync = 1 << 20

// Invoker runs functions. Its errors of type *awsjson.Error are Lambda's refusals.
type Invoker interface {
	Invoke(ctx context.Context, function string, payload []byte) (output []byte, functionError string, err error)
	// InvokeAsync accepts an event that is delivered later.
	InvokeAsync(ctx context.Context, function string, event []byte) error
}

// Handler serves requests under /2015-03-31/functions/.
func Handler(invoker Invoker) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+Path, func(w http.ResponseWriter, r *http.Request) {
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
	_, _ = w.Write(output) // the caller has gone; there is nobody to tell
	return nil
}

// refuseOptions refuses what would change the invocation and is not implemented.
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

// errorStatus is the HTTP status of a refusal: 400 but for those that Lambda documents otherwise.
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
	// The caller has gone if this fails; there is nobody to tell.
	_ = json.NewEncoder(w).Encode(struct {
		Type    string
		Message string
	}{"User", fault.Message})
}
