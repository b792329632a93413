package stack

import (
	"fmt"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// newSecret creates the secret with its first, generated key. Functions refer to the secret by
// name, so that no stack depends on another's output.
func newSecret(st awscdk.Stack, s Settings, b blueprint.Secret, key awskms.IKey) awssecretsmanager.Secret {
	secret := awssecretsmanager.NewSecret(st, jsii.String("WebhookKeys"), &awssecretsmanager.SecretProps{
		SecretName:    jsii.String(s.resourceName(b.Name)),
		Description:   jsii.String("The keys that seal the secrets of webhooks in the database."),
		EncryptionKey: key,
		GenerateSecretString: &awssecretsmanager.SecretStringGenerator{
			SecretStringTemplate: jsii.String(fmt.Sprintf(`{"%s":"%s"}`, blueprint.SecretCurrent, blueprint.SecretFirstKey)),
			GenerateStringKey:    jsii.String(blueprint.SecretFirstKey),
			PasswordLength:       jsii.Number(float64(blueprint.SecretLength)),
			ExcludePunctuation:   jsii.Bool(true),
		},
		RemovalPolicy: s.Stage.removalPolicy(),
	})
	suppressKeys(secret)
	return secret
}
