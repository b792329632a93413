package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// organisationTag is the tag of users and roles with the organisation for which they drop files.
const organisationTag = "loadbay-organisation"

// addDropPolicy creates the policy for people and systems that put files into the drop folder: of
// the organisation in their tag, without reading or deleting anything. Policies have account-wide names, so
// CloudFormation chooses it.
func (svc *service) addDropPolicy() {
	folder := jsii.String(*svc.data.bucket.BucketArn() + "/" + blueprint.DropPrefix + "${aws:PrincipalTag/" + organisationTag + "}/*")
	encrypt := allowStatement("Encrypt", []*string{svc.data.key.KeyArn()}, "kms:GenerateDataKey", "kms:Decrypt") // Decrypt is for uploads in parts
	encrypt.AddCondition(jsii.String("StringEquals"), map[string]any{"kms:ViaService": "s3." + *svc.Region() + "." + *svc.UrlSuffix()})
	policy := awsiam.NewManagedPolicy(svc.Stack, jsii.String("DropPolicy"), &awsiam.ManagedPolicyProps{
		Description: jsii.String("Drops files for Loadbay to import, as the organisation in the tag " + organisationTag + "."),
		Statements:  &[]awsiam.PolicyStatement{allowStatement("Drop", []*string{folder}, "s3:PutObject", "s3:AbortMultipartUpload"), encrypt},
	})
	suppress(policy, "IAM5", "Users choose the names of the files that they drop; the prefix limits them to the folder of their organisation.", `.*`)
	awscdk.NewCfnOutput(svc.Stack, jsii.String("DropPolicyArn"), &awscdk.CfnOutputProps{Value: policy.ManagedPolicyArn(), Description: jsii.String("The policy for users and roles that drop files.")})
}
