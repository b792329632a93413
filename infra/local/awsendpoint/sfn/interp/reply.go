package interp

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/loadbay/loadbay/infra/local/awsendpoint/sfn/jsonpath"
)

// Reply is the result of an invocation.
type Reply struct {
	// Payload is the function's result, or its error document if FunctionError is not "".
	Payload       []byte
	FunctionError string
	// Refused is set if Lambda did not run the function: the error code, such as
	// "ResourceNotFoundException", and the reason.
	Refused string
	Reason  string
}

// result converts a reply to the result of a task, or its failure.
func (r Reply) result(requestID func() string) (any, *Failure) {
	switch {
	case r.Refused != "":
		failure := newFailure("Lambda."+r.Refused, r.Reason)
		return nil, &failure
	case r.FunctionError != "":
		failure := r.functionError()
		return nil, &failure
	}
	return invokeResult(r.payload(), len(r.Payload), requestID()), nil
}

// payload decodes the result; invalid JSON is returned as a string.
func (r Reply) payload() any {
	if len(r.Payload) == 0 {
		return nil
	}
	value, err := jsonpath.Decode(r.Payload)
	if err != nil {
		return string(r.Payload)
	}
	return value
}

// functionError converts a function's failure, named by the errorType of its document.
func (r Reply) functionError() Failure {
	var document struct {
		ErrorType string `json:"errorType"`
	}
	if err := json.Unmarshal(r.Payload, &document); err != nil || document.ErrorType == "" {
		return newFailure("Lambda.Unknown", fmt.Sprintf(
			"The cause could not be determined because Lambda did not return an error type. Returned payload: %s", r.Payload))
	}
	return newFailure(document.ErrorType, string(r.Payload))
}

// invokeResult returns the result of lambda:invoke: the response of Lambda's API.
func invokeResult(payload any, length int, requestID string) any {
	headers := map[string]string{
		"Connection": "keep-alive", "Content-Length": strconv.Itoa(length), "Content-Type": "application/json",
		"X-Amz-Executed-Version": "$LATEST", "x-amzn-Remapped-Content-Length": "0", "x-amzn-RequestId": requestID,
	}
	single, multiple := map[string]any{}, map[string]any{}
	for name, value := range headers {
		single[name], multiple[name] = value, []any{value}
	}
	return map[string]any{
		"ExecutedVersion":     "$LATEST",
		"Payload":             payload,
		"SdkHttpMetadata":     map[string]any{"AllHttpHeaders": multiple, "HttpHeaders": single, "HttpStatusCode": json.Number("200")},
		"SdkResponseMetadata": map[string]any{"RequestId": requestID},
		"StatusCode":          json.Number("200"),
	}
}
