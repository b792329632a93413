package stack

import (
	"slices"
	"strings"

	"github.com/aws/aws-cdk-go/awscdk/v2/awsiam"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// grantKey lets a function use the key, but only through the services of its grants, and only
// for the operations that its actions need.
func (svc *service) grantKey(f blueprint.Function) []awsiam.PolicyStatement {
	needs := map[string][]string{} // service: actions on the key
	add := func(service string, actions ...string) { needs[service] = append(needs[service], actions...) }
	for _, g := range f.Grants {
		for _, a := range g.Actions {
			service, action, _ := strings.Cut(string(a), ":")
			add(service, kmsActions(service, action)...)
		}
	}
	if svc.blueprint.DeadLetterQueue(f.Name) != "" {
		add("sqs", kmsActions("sqs", "SendMessage")...)
	}
	if f.Database == blueprint.AdminRole {
		add("secretsmanager", "kms:Decrypt")
	}
	keys := []*string{svc.data.key.KeyArn()}
	if d := svc.settings.ExistingDatabase; d != nil && d.SecretKeyARN != "" && f.Database == blueprint.AdminRole {
		keys = append(keys, jsii.String(d.SecretKeyARN))
	}
	var statements []awsiam.PolicyStatement
	for _, service := range []string{"dynamodb", "s3", "secretsmanager", "sqs"} {
		actions := slices.Compact(slices.Sorted(slices.Values(needs[service])))
		if len(actions) == 0 {
			continue
		}
		resources := keys[:1]
		if service == "secretsmanager" {
			resources = keys
		}
		statements = append(statements, awsiam.NewPolicyStatement(&awsiam.PolicyStatementProps{
			Actions: jsii.Strings(actions...), Resources: &resources,
			Conditions: &map[string]any{"StringEquals": map[string]any{"kms:ViaService": service + "." + *svc.Region() + ".amazonaws.com"}},
		}))
	}
	return statements
}

// kmsActions returns the key operations that an action on an encrypted resource needs. Writing
// needs both: S3 decrypts the data key of a multipart upload for every part, and SQS reuses data
// keys.
func kmsActions(service, action string) []string {
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
