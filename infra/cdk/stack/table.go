package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// newTable creates the table for task tokens and idempotency keys.
func newTable(st awscdk.Stack, s Settings, t blueprint.Table, key awskms.IKey) awsdynamodb.Table {
	return awsdynamodb.NewTable(st, jsii.String("Coordination"), &awsdynamodb.TableProps{
		TableName:           jsii.String(s.resourceName(t.Name)),
		PartitionKey:        &awsdynamodb.Attribute{Name: jsii.String(t.PartitionKey), Type: awsdynamodb.AttributeType_STRING},
		SortKey:             &awsdynamodb.Attribute{Name: jsii.String(t.SortKey), Type: awsdynamodb.AttributeType_STRING},
		TimeToLiveAttribute: jsii.String(t.TTLAttr),
		BillingMode:         awsdynamodb.BillingMode_PAY_PER_REQUEST,
		Encryption:          awsdynamodb.TableEncryption_CUSTOMER_MANAGED,
		EncryptionKey:       key,
		PointInTimeRecoverySpecification: &awsdynamodb.PointInTimeRecoverySpecification{
			PointInTimeRecoveryEnabled: jsii.Bool(true),
		},
		DeletionProtection: jsii.Bool(s.Stage.RetainData),
		RemovalPolicy:      s.Stage.removalPolicy(),
	})
}
