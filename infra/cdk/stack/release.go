package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscodedeploy"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslambda"
	"github.com/aws/aws-cdk-go/awscdk/v2/interfaces/interfacesawscloudwatch"
	"github.com/aws/jsii-runtime-go"
)

// servingFunction is what requests go to: where data lasts, the version of api that is live, and not
// the one that a deployment has just brought.
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

// addDeployment lets a release of api answer a tenth of the requests for ten minutes, and
// takes it back when the alarm about 5xx sounds: CloudFormation then takes all of the stack
// back. Nobody else is asked: what the other functions do is tried again, by whatever called
// them.
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

// newReleaseRole may move the alias and look at alarms, which IAM cannot narrow.
// https://docs.aws.amazon.com/aws-managed-policy/latest/reference/AWSCodeDeployRoleForLambdaLimited.html
func (svc *service) newReleaseRole() awsiam.Role {
	statements := []awsiam.PolicyStatement{
		allowStatement("Shift", []*string{svc.functionARN(apiFunction), awscdk.Fn_Join(jsii.String(":"), &[]*string{svc.functionARN(apiFunction), jsii.String("live")})},
			"lambda:GetAlias", "lambda:UpdateAlias", "lambda:GetProvisionedConcurrencyConfig"),
		allowStatement("Look", allResources(), "cloudwatch:DescribeAlarms"),
	}
	role := awsiam.NewRole(svc.Stack, jsii.String("Release-role"), &awsiam.RoleProps{
		AssumedBy:   awsiam.NewServicePrincipal(jsii.String("codedeploy.amazonaws.com"), nil),
		Description: jsii.String("Loadbay " + svc.settings.Stage.Name + ": releases of api"),
		InlinePolicies: &map[string]awsiam.PolicyDocument{
			"release": awsiam.NewPolicyDocument(&awsiam.PolicyDocumentProps{Statements: &statements}),
		},
	})
	suppress(role, "IAM5", "Alarms are described all or none; the role does nothing with them but to see whether one sounds.", `\*`)
	return role
}
