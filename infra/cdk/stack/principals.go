package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"
)

// servicePrincipal is a service of AWS that may assume a role. The conditions prevent it from
// doing so on behalf of others:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/confused-deputy.html
func servicePrincipal(name string, conditions map[string]any) awsiam.ServicePrincipal {
	return awsiam.NewServicePrincipal(jsii.String(name), &awsiam.ServicePrincipalOpts{Conditions: &conditions})
}

// sourceConditions are for services that act for one resource of this account.
func sourceConditions(arn *string) map[string]any {
	return map[string]any{
		"StringEquals": map[string]any{"aws:SourceAccount": awscdk.Aws_ACCOUNT_ID()},
		"ArnLike":      map[string]any{"aws:SourceArn": arn},
	}
}
