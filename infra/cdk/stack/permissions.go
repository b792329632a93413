package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// newRole creates the role of one function. Its permissions follow from the blueprint: its
// grants, and the permissions needed for running, tracing, connecting and, for object events,
// the dead-letter queue.
func (svc *service) newRole(f blueprint.Function) awsiam.Role {
	statements := []awsiam.PolicyStatement{
		allowStatement("Log", []*string{svc.namedARN("logs", "log-group", "/aws/lambda/"+svc.settings.functionName(f.Name)+":*", awscdk.ArnFormat_COLON_RESOURCE_NAME)},
			"logs:CreateLogStream", "logs:PutLogEvents"),
	}
	if svc.settings.Tracing {
		statements = append(statements, allowStatement("Trace", allResources(), "xray:PutTraceSegments", "xray:PutTelemetryRecords"))
	}
	if runsInNetwork(f) {
		statements = append(statements, svc.attachToNetwork(f)...)
	}
	statements = append(statements, svc.grantDatabase(f)...)
	statements = append(statements, svc.policyStatements(f)...)
	statements = append(statements, svc.grantKey(f)...)
	role := awsiam.NewRole(svc.Stack, jsii.String(f.Name+"-role"), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
		Description: jsii.String("Loadbay " + svc.settings.stageName() + ": " + f.Name),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"blueprint": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
	suppressRole(role, f)
	return role
}

// allResources is for the few actions that IAM cannot restrict to a resource.
func allResources() []*string { return []*string{jsii.String("*")} }

func allowStatement(sid string, resources []*string, actions ...string) awsiam.PolicyStatement {
	var id *string
	if sid != "" {
		id = &sid
	}
	return awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Sid: id, Actions: jsii.Strings(actions...), Resources: &resources,
	})
}

// attachToNetwork lets Lambda give the function an address in the network, and denies the same
// to the function's own code, which does not need it.
// https://docs.aws.amazon.com/lambda/latest/dg/configuration-vpc.html
func (svc *service) attachToNetwork(f blueprint.Function) []awsiam.PolicyStatement {
	actions := []string{
		"ec2:AssignPrivateIpAddresses", "ec2:CreateNetworkInterface", "ec2:DeleteNetworkInterface",
		"ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets", "ec2:UnassignPrivateIpAddresses",
	}
	return []awsiam.PolicyStatement{
		allowStatement("Attach", allResources(), actions...),
		awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Sid: jsii.String("AttachIsForLambda"), Effect: awsiam.Effect_DENY,
			Actions: jsii.Strings(actions...), Resources: new(allResources()),
			Conditions: &map[string]any{"ArnEquals": map[string]any{"lambda:SourceFunctionArn": []*string{svc.functionARN(f.Name)}}},
		}),
	}
}

// grantDatabase lets a function sign in to Postgres as its role, or read the owner's password.
func (svc *service) grantDatabase(f blueprint.Function) []awsiam.PolicyStatement {
	switch f.Database {
	case blueprint.NoDatabase:
		return nil
	case blueprint.AdminRole:
		return []awsiam.PolicyStatement{allowStatement("Connect", []*string{svc.data.database.secret}, "secretsmanager:GetSecretValue")}
	default:
		user := svc.databaseEndpoint(f).userARN(svc.Stack, f.Database)
		return []awsiam.PolicyStatement{allowStatement("Connect", []*string{user}, "rds-db:connect")}
	}
}

// policyStatements are the statements of the blueprint's policy, which the local stack also
// enforces.
func (svc *service) policyStatements(f blueprint.Function) []awsiam.PolicyStatement {
	return newStatements(svc.blueprint.RolePolicy(f, svc.settings.deployment()))
}

func newStatements(p blueprint.Policy) []awsiam.PolicyStatement {
	var statements []awsiam.PolicyStatement
	for _, s := range p.Statement {
		var actions []string
		for _, a := range s.Action {
			actions = append(actions, string(a))
		}
		statements = append(statements, allowStatement(s.Sid, *jsii.Strings(s.Resource...), actions...))
	}
	return statements
}
