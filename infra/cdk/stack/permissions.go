package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// newRole makes the role of one function. What it may do follows from the
// blueprint: its grants, and what being run, traced, connected and, for object
// events, given up on takes.
func (svc *service) newRole(f blueprint.Function) awsiam.Role {
	statements := []awsiam.PolicyStatement{
		allow("Log", []*string{svc.arn("logs", "log-group", "/aws/lambda/"+svc.settings.functionName(f.Name)+":*", awscdk.ArnFormat_COLON_RESOURCE_NAME)},
			"logs:CreateLogStream", "logs:PutLogEvents"),
		allow("Trace", everything(), "xray:PutTraceSegments", "xray:PutTelemetryRecords"),
	}
	if inNetwork(f) {
		statements = append(statements, svc.attach(f)...)
	}
	statements = append(statements, svc.connect(f)...)
	statements = append(statements, svc.grants(f)...)
	statements = append(statements, svc.decrypt(f)...)
	role := awsiam.NewRole(svc.Stack, jsii.String(f.Name+"-role"), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
		Description: jsii.String("Loadbay " + svc.settings.Stage.Name + ": " + f.Name),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"blueprint": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
	suppressRole(role, f)
	return role
}

// everything is for the few actions that IAM cannot narrow to a resource.
func everything() []*string { return []*string{jsii.String("*")} }

func allow(sid string, resources []*string, actions ...string) awsiam.PolicyStatement {
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: jsii.String(sid), Actions: jsii.Strings(actions...), Resources: &resources,
	})
}

// attach lets Lambda give the function an address in the network, and denies the
// same to the function's own code, which has no use for it.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
func (svc *service) attach(f blueprint.Function) []awsiam.PolicyStatement {
	actions := []string{
		"ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
		"ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses",
	}
	return []awsiam.PolicyStatement{
		allow("Attach", everything(), actions...),
		awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Sid: jsii.String("AttachIsForLambda"), Effect: awsiam.Effect_DENY,
			Actions: jsii.Strings(actions...), Resources: new(everything()),
			Conditions: &map[string]any{"ArnEquals": map[string]any{"lambda:SourceFunctionArn": []*string{svc.functionARN(f.Name)}}},
		}),
	}
}

// connect lets a function sign in to Postgres as its role, or read the owner's password.
func (svc *service) connect(f blueprint.Function) []awsiam.PolicyStatement {
	switch f.Database {
	case blueprint.NoDatabase:
		return nil
	case blueprint.AdminRole:
		return []awsiam.PolicyStatement{allow("Connect", []*string{svc.data.database.secret}, "secretsmanager:GetSecretValue")}
	default:
		user := svc.door(f).user(svc.Stack, f.Database)
		return []awsiam.PolicyStatement{allow("Connect", []*string{user}, "rds-db:connect")}
	}
}

// grants turns the blueprint's grants into statements, and lets Lambda hand an
// object event that failed for good to its queue, which it does in the
// function's name.
func (svc *service) grants(f blueprint.Function) []awsiam.PolicyStatement {
	var statements []awsiam.PolicyStatement
	for _, g := range f.Uses {
		var actions []string
		for _, a := range g.Actions {
			actions = append(actions, string(a))
		}
		statements = append(statements, awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Actions: jsii.Strings(actions...), Resources: &[]*string{svc.resource(g)},
		}))
	}
	if queue := svc.blueprint.DeadLetterOf(f.Name); queue != "" {
		statements = append(statements, allow("GiveUp", []*string{svc.queues[queue].QueueArn()}, "sqs:SendMessage"))
	}
	return statements
}

func (svc *service) resource(g blueprint.Grant) *string {
	switch g.Resource {
	case blueprint.OnBucket:
		if g.Of == "" {
			return svc.data.bucket.BucketArn()
		}
		return svc.data.bucket.ArnForObjects(jsii.String(g.Of + "*"))
	case blueprint.OnQueue:
		return svc.queues[g.Of].QueueArn()
	case blueprint.OnTable:
		return svc.data.table.TableArn()
	case blueprint.OnExecutions:
		return svc.arn("states", "execution", svc.settings.name(svc.blueprint.StateMachine.Name)+":*", awscdk.ArnFormat_COLON_RESOURCE_NAME)
	case blueprint.OnFunction:
		return svc.functionARN(g.Of)
	case blueprint.OnEventBus:
		return svc.arn("events", "event-bus", svc.settings.name(svc.blueprint.EventBus.Name), awscdk.ArnFormat_SLASH_RESOURCE_NAME)
	default:
		return svc.machineARN()
	}
}
