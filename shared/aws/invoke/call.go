package invoke

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/service/lambda"
)

// Call runs the function with an event and returns its response. If the function fails,
// the error contains its message.
func (f *Function) Call(ctx context.Context, event []byte) (answer []byte, err error) {
	out, err := f.client.Invoke(ctx, &lambda.InvokeInput{FunctionName: &f.name, Payload: event})
	if err != nil {
		return nil, fmt.Errorf("call function %s: %w", f.name, err)
	}
	if out.FunctionError == nil {
		return out.Payload, nil
	}
	fault := FunctionError{Function: f.name}
	_ = json.Unmarshal(out.Payload, &fault) // a function that died may have no error document
	return nil, &fault
}

// FunctionError is the error of a called function.
type FunctionError struct {
	Function string `json:"-"`
	Type     string `json:"errorType"`
	Message  string `json:"errorMessage"`
}

func (e *FunctionError) Error() string {
	return fmt.Sprintf("function %s failed: %s: %s", e.Function, e.Type, e.Message)
}

// IsTransient reports whether the function had no database, or a service was not available to it.
func (e *FunctionError) IsTransient() bool { return e.Type == "Transient" }
