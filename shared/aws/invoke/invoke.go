// Package invoke runs another Lambda function.
//
// Tested by infra/tests/faults: the function that checks whether reconcile is due.
package invoke

import (
	"context"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"
)

// Function is a Lambda function.
type Function struct {
	client *lambda.Client
	name   string
}

// Open returns the function with that name.
func Open(c aws.Config, name string) *Function {
	return &Function{client: lambda.NewFromConfig(c), name: name}
}

// Start starts the function without an event and does not wait for its end.
func (f *Function) Start(ctx context.Context) error {
	_, err := f.client.Invoke(ctx, &lambda.InvokeInput{FunctionName: &f.name, InvocationType: types.InvocationTypeEvent, Payload: []byte("{}")})
	if err != nil {
		return fmt.Errorf("start function %s: %w", f.name, err)
	}
	return nil
}
