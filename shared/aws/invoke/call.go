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
	var fault struct {
		Type    string `json:"errorType"`
		Message string `json:"errorMessage"`
	}
	_ = json.Unmarshal(out.Payload, &fault) // a function that died may have no error document
	return nil, fmt.Errorf("function %s failed: %s: %s", f.name, fault.Type, fault.Message)
}
