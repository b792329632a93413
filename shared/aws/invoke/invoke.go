// Package invoke runs another Lambda function.
//
// Tested by infra/tests/faults: the function that checks whether reconcile is due.
package invoke

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/lambda"
	"github.com/aws/aws-sdk-go-v2/service/lambda/types"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/tenant"
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
func (f *Function) Start(ctx context.Context) error { return f.start(ctx, struct{}{}) }

// StartErasure starts the function that continues the erasure of a person.
func (f *Function) StartErasure(ctx context.Context, ref job.ErasureRef) error {
	return f.start(ctx, ref)
}

// StartDeletion starts the function that continues the deletion of an organisation.
func (f *Function) StartDeletion(ctx context.Context, organisation tenant.ID) error {
	return f.start(ctx, job.DeletionRef{OrganisationID: organisation, WholeOrganisation: true})
}

// start starts the function with an event.
func (f *Function) start(ctx context.Context, event any) error {
	payload, err := json.Marshal(event)
	if err == nil {
		_, err = f.client.Invoke(ctx, &lambda.InvokeInput{FunctionName: &f.name, InvocationType: types.InvocationTypeEvent, Payload: payload})
	}
	if err != nil {
		return fmt.Errorf("start function %s: %w", f.name, err)
	}
	return nil
}
