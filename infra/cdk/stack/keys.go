package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/jsii-runtime-go"
)

// newKey creates the key that encrypts all of Loadbay's data, or refers to the one in the settings. IAM policies of this account
// control its use (permissions.go); the key's policy names the services that act on their own
// behalf.
func newKey(st awscdk.Stack, s Settings) awskms.IKey {
	if s.KeyARN != "" {
		return awskms.Key_FromKeyArn(st, jsii.String("Key"), jsii.String(s.KeyARN))
	}
	key := awskms.NewKey(st, jsii.String("Key"), &awskms.KeyProps{
		Alias:             jsii.String("alias/" + s.resourceName("loadbay")),
		Description:       jsii.String("Encrypts Loadbay's files, rows, messages and logs."),
		EnableKeyRotation: jsii.Bool(true),
		RemovalPolicy:     s.Stage.removalPolicy(),
	})
	account := awscdk.Aws_ACCOUNT_ID()
	allowService(key, "logs."+*st.Region()+".amazonaws.com", map[string]any{
		"ArnLike": map[string]any{
			"kms:EncryptionContext:aws:logs:arn": st.FormatArn(&awscdk.ArnComponents{
				Service: jsii.String("logs"), Resource: jsii.String("log-group"),
				ResourceName: jsii.String("*loadbay*"), ArnFormat: awscdk.ArnFormat_COLON_RESOURCE_NAME,
			}),
		},
	})
	sameAccount := map[string]any{"StringEquals": map[string]any{"aws:SourceAccount": account}}
	// Step Functions has its log delivered; EventBridge sends undeliverable events to an encrypted
	// queue, and CloudWatch its alarms and RDS its events to an
	// encrypted topic.
	allowService(key, "delivery.logs.amazonaws.com", sameAccount)
	allowService(key, "events.amazonaws.com", sameAccount)
	allowService(key, "cloudwatch.amazonaws.com", sameAccount)
	allowService(key, "events.rds.amazonaws.com", sameAccount)
	return key
}

func allowService(key awskms.Key, service string, conditions map[string]any) {
	key.AddToResourcePolicy(awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
		Principals: &[]awsiam.IPrincipal{awsiam.NewServicePrincipal(jsii.String(service), nil)},
		Actions:    jsii.Strings("kms:Encrypt", "kms:Decrypt", "kms:ReEncrypt*", "kms:GenerateDataKey*", "kms:DescribeKey"),
		Resources:  jsii.Strings("*"), // in a key's policy: this key
		Conditions: &conditions,
	}), nil)
}
