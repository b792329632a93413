package stack

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsstepfunctions"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/statemachine"
)

// addWorkflow creates the state machine from the same definition that the local stack interprets.
// Its log contains the visited states, but no payloads.
func (svc *service) addWorkflow() (awsstepfunctions.StateMachine, error) {
	arns := map[string]*string{}
	for _, name := range statemachine.Functions() {
		f, ok := svc.functions[name]
		if !ok {
			return nil, fmt.Errorf("state machine: unknown function %q", name)
		}
		arns[name] = f.FunctionArn()
	}
	name := svc.settings.resourceName(svc.blueprint.StateMachine.Name)
	machine := awsstepfunctions.NewStateMachine(svc.Stack, jsii.String("Import"), &awsstepfunctions.StateMachineProps{
		StateMachineName:        jsii.String(name),
		StateMachineType:        awsstepfunctions.StateMachineType_STANDARD,
		DefinitionBody:          awsstepfunctions.DefinitionBody_FromString(jsii.String(statemachine.Import)),
		DefinitionSubstitutions: &arns,
		TracingEnabled:          jsii.Bool(svc.settings.Tracing),
		Logs: &awsstepfunctions.LogOptions{
			// Log groups under vendedlogs share one resource policy, which has a small size limit.
			Destination:          newLogGroup(svc.Stack, svc.settings, svc.data.key, "Workflow", "/aws/vendedlogs/states/"+name),
			Level:                awsstepfunctions.LogLevel_ALL,
			IncludeExecutionData: jsii.Bool(false),
		},
		Role:          svc.newWorkflowRole().WithoutPolicyUpdates(nil),
		RemovalPolicy: svc.settings.Stage.removalPolicy(),
	})
	if !svc.settings.Tracing {
		suppressTracing(machine)
	}
	return machine, nil
}

// newWorkflowRole creates the role that may invoke the functions of the definition, and log and
// trace, which IAM cannot restrict.
// https://docs.aws.amazon.com/step-functions/latest/dg/cw-logs.html
func (svc *service) newWorkflowRole() awsiam.Role {
	statements := append(newStatements(svc.blueprint.WorkflowPolicy(statemachine.Functions(), svc.settings.deployment())),
		allowStatement("Log", allResources(), "logs:CreateLogDelivery", "logs:GetLogDelivery", "logs:UpdateLogDelivery", "logs:DeleteLogDelivery",
			"logs:ListLogDeliveries", "logs:PutResourcePolicy", "logs:DescribeResourcePolicies", "logs:DescribeLogGroups"))
	if svc.settings.Tracing {
		statements = append(statements, allowStatement("Trace", allResources(), "xray:PutTraceSegments", "xray:PutTelemetryRecords", "xray:GetSamplingRules", "xray:GetSamplingTargets"))
	}
	role := awsiam.NewRole(svc.Stack, jsii.String("Import-role"), &awsiam.RoleProps{
		AssumedBy: servicePrincipal("states.amazonaws.com", sourceConditions(svc.stateMachineARN())),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"workflow": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
	suppressWorkflowRole(role)
	return role
}
