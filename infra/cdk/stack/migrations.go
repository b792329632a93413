package stack

import (
	"path/filepath"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/customresources"
	"github.com/aws/jsii-runtime-go"
)

const migrateFunction = "migrate"

// addMigrations runs the migrate function in every deployment with new code for it, before any
// other function is created or updated: code never meets a schema older than it requires. A
// failed migration fails the deployment, and CloudFormation rolls back to the old code;
// therefore the previous release must still run after a migration.
//
// The function is called with {"RequestType":"Create"|"Update"|"Delete", …} and only has to
// return without an error: the framework around it, a function of the CDK's own outside the
// network, responds to CloudFormation.
func (svc *service) addMigrations() {
	handler := svc.functions[migrateFunction]
	provider := customresources.NewProvider(svc.Stack, jsii.String("Migrations"), &customresources.ProviderProps{
		OnEventHandler:              handler,
		ProviderFunctionName:        jsii.String(svc.settings.functionName("migrations-provider")),
		FrameworkOnEventRole:        svc.newProviderRole(handler).WithoutPolicyUpdates(nil),
		FrameworkLambdaLoggingLevel: awslambda.ApplicationLogLevel_ERROR,
		LogGroup:                    newLogGroup(svc.Stack, svc.settings, svc.data.key, "Migrations", "/aws/lambda/"+svc.settings.functionName("migrations-provider")),
	})
	suppressProvider(provider)
	properties := map[string]any{
		// A replacement database needs its migrations, too.
		"Database": svc.data.database.direct.host,
		"Code":     awscdk.FileSystem_Fingerprint(jsii.String(filepath.Join(svc.settings.Assets, migrateFunction)), nil),
	}
	if value := svc.settings.Functions["SAMPLES"]; value != "" {
		properties["Samples"] = value // a change adds them
	}
	migrated := awscdk.NewCustomResource(svc.Stack, jsii.String("Schema"), &awscdk.CustomResourceProps{
		ServiceToken:   provider.ServiceToken(),
		ResourceType:   jsii.String("Custom::Schema"),
		ServiceTimeout: awscdk.Duration_Minutes(jsii.Number(20)),
		Properties:     &properties,
	})
	for _, f := range svc.blueprint.Functions {
		if f.Name != migrateFunction {
			svc.functions[f.Name].Node().AddDependency(migrated)
		}
	}
}

// newProviderRole creates the role that may invoke migrate and wait for it to be ready.
func (svc *service) newProviderRole(handler awslambda.Function) awsiam.Role {
	logs := svc.namedARN("logs", "log-group", "/aws/lambda/"+svc.settings.functionName("migrations-provider")+":*", awscdk.ArnFormat_COLON_RESOURCE_NAME)
	statements := []awsiam.PolicyStatement{
		allowStatement("Invoke", []*string{handler.FunctionArn()}, "lambda:InvokeFunction", "lambda:GetFunction"),
		allowStatement("Log", []*string{logs}, "logs:CreateLogStream", "logs:PutLogEvents"),
	}
	role := awsiam.NewRole(svc.Stack, jsii.String("Migrations-role"), &awsiam.RoleProps{
		AssumedBy: awsiam.NewServicePrincipal(jsii.String("lambda.amazonaws.com"), nil),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"migrations": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
	suppressLogStreams(role)
	return role
}
