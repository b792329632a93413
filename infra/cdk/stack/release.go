package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscodedeploy"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"
)

// servingFunction returns the target of requests: in stages with retained data, the live version
// of api instead of the most recently deployed one.
func (svc *service) servingFunction(function string) awslambda.IFunction {
	f := svc.functions[function]
	if function != apiFunction || !svc.settings.Stage.RetainData {
		return f
	}
	if svc.liveAlias == nil {
		svc.liveAlias = awslambda.NewAlias(svc.Stack, jsii.String(function+"-live"), &awslambda.AliasProps{
			AliasName: jsii.String("live"), Version: f.CurrentVersion(),
		})
	}
	return svc.liveAlias
}

// addDeployment sends a tenth of the requests to a new release of api for ten minutes, and rolls
// it back if the 5xx alarm triggers: CloudFormation then rolls back the whole stack. The other
// functions are released at once, because their callers retry.
func (svc *service) addDeployment() {
	if svc.liveAlias == nil {
		return
	}
	props := &awscodedeploy.LambdaDeploymentGroupProps{
		Alias: svc.liveAlias,
		Application: awscodedeploy.NewLambdaApplication(svc.Stack, jsii.String("Releases"), &awscodedeploy.LambdaApplicationProps{
			ApplicationName: jsii.String(svc.settings.resourceName("loadbay")),
		}),
		DeploymentConfig: awscodedeploy.LambdaDeploymentConfig_CANARY_10PERCENT_10MINUTES(),
		Alarms:           &[]interfacesawscloudwatch.IAlarmRef{svc.alarms[api5xx]},
		AutoRollback: &awscodedeploy.AutoRollbackConfig{
			DeploymentInAlarm: jsii.Bool(true), FailedDeployment: jsii.Bool(true), StoppedDeployment: jsii.Bool(true),
		},
		Role: svc.newReleaseRole().WithoutPolicyUpdates(nil),
	}
	if svc.settings.AllAtOnce {
		props.DeploymentConfig = awscodedeploy.LambdaDeploymentConfig_ALL_AT_ONCE()
		props.IgnoreAlarmConfiguration = jsii.Bool(true)
	}
	awscodedeploy.NewLambdaDeploymentGroup(svc.Stack, jsii.String("Release"), props)
}

// newReleaseRole creates a role that may move the alias and read alarms, which IAM cannot
// restrict.
// https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSCodeDeployRoleForLambdaLimited.html
func (svc *service) newReleaseRole() awsiam.Role {
	statements := []awsiam.PolicyStatement{
		allowStatement("Shift", []*string{svc.functionARN(apiFunction), awscdk.Fn_Join(jsii.String(":"), &[]*string{svc.functionARN(apiFunction), jsii.String("live")})},
			"lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"),
		allowStatement("Look", allResources(), "cloudwatch:DescribeAlarms"),
	}
	role := awsiam.NewRole(svc.Stack, jsii.String("Release-role"), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("codedeploy.amazonaws.com"), nil),
		Description: jsii.String("Loadbay " + svc.settings.stageName() + ": releases of api"),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"release": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
	suppress(role, "IAM5", "DescribeAlarms has no resource ARNs; the role only checks whether an alarm is active.", `\*`)
	return role
}
