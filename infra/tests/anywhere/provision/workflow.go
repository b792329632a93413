package provision

import (
	"context"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/sfn"

	"github.com/loadbay/loadbay/infra/statemachine"
)

// CreateWorkflow creates the state machine; arn returns the ARNs of its functions.
func (p *Provisioner) CreateWorkflow(ctx context.Context, r *Resources, arn func(function string) string) error {
	definition := statemachine.Import
	for _, f := range p.blueprint.Functions {
		definition = strings.ReplaceAll(definition, "${"+f.Name+"}", arn(f.Name))
	}
	made, err := p.machines.CreateStateMachine(ctx, &sfn.CreateStateMachineInput{
		Name: &p.blueprint.StateMachine.Name, Definition: &definition, RoleArn: aws.String(functionRole),
	})
	if err != nil {
		return fmt.Errorf("provision: state machine: %w", err)
	}
	r.StateMachine = *made.StateMachineArn
	return nil
}
