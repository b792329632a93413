package stack

import (
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// decrypt lets a function use the key, but only through the services that its
// grants name, and only in the way that its actions need.
func (svc *service) decrypt(f blueprint.Function) []awsiam.PolicyStatement {
	needs := map[string][]string{} // service: actions on the key
	add := func(service string, actions ...string) { needs[service] = append(needs[service], actions...) }
	for _, g := range f.Uses {
		for _, a := range g.Actions {
			service, action, _ := strings.Cut(string(a), ":")
			add(service, keyActions(service, action)...)
		}
	}
	if svc.blueprint.DeadLetterOf(f.Name) != "" {
		add("sqs", keyActions("sqs", "SendMessage")...)
	}
	if f.Database == blueprint.AdminRole {
		add("secretsmanager", "kms:Decrypt")
	}
	var statements []awsiam.PolicyStatement
	for _, service := range []string{"dynamodb", "s3", "secretsmanager", "sqs"} {
		actions := slices.Compact(slices.Sorted(slices.Values(needs[service])))
		if len(actions) == 0 {
			continue
		}
		statements = append(statements, awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Actions: jsii.Strings(actions...), Resources: &[]*string{svc.data.key.KeyArn()},
			Conditions: &map[string]any{"StringEquals": map[string]any{"kms:ViaService": service + "." + *svc.Region() + ".amazonaws.com"}},
		}))
	}
	return statements
}

// keyActions is what a caller must be able to do with the key for an action on
// something that it encrypts. Writing takes both: S3 decrypts the data key of a
// multipart upload for every part, SQS reuses data keys.
func keyActions(service, action string) []string {
	switch {
	case service == "dynamodb":
		return []string{"kms:Decrypt", "kms:DescribeKey", "kms:Encrypt", "kms:GenerateDataKey", "kms:ReEncryptFrom", "kms:ReEncryptTo"}
	case service == "s3" && action == "GetObject", service == "sqs" && action == "ReceiveMessage", service == "secretsmanager":
		return []string{"kms:Decrypt"}
	case service == "s3" && action == "PutObject", service == "sqs" && action == "SendMessage":
		return []string{"kms:Decrypt", "kms:GenerateDataKey"}
	default:
		return nil
	}
}
