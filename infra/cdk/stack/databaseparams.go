package stack

import (
	"maps"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsssm"
	"github.com/aws/jsii-runtime-go"
)

// The service stack reads the properties of the database from parameters of Systems Manager
// instead of exports: CloudFormation refuses to change an export in use, and so would refuse to
// replace the database.

// parameterValues are the published values by the last part of the parameter's name.
func (db *database) parameterValues() map[string]**string {
	parts := map[string]**string{
		"host": &db.direct.host, "resource-id": &db.direct.resourceID,
		"pooled-host": &db.pooled.host, "pooled-resource-id": &db.pooled.resourceID,
		"secret-arn": &db.secret, "name": &db.metrics.name,
	}
	if db.pooled.proxyID != nil {
		parts["pool"] = &db.pooled.proxyID
	}
	return parts
}

func (s Settings) parameterName(part string) *string {
	return jsii.String("/loadbay/" + s.stageName() + "/database/" + part)
}

// publishDatabase publishes the database that the stage uses.
func publishDatabase(st awscdk.Stack, s Settings, db database) {
	parts := db.parameterValues()
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		awsssm.NewStringParameter(st, jsii.String("Published-"+part), &awsssm.StringParameterProps{
			ParameterName: s.parameterName(part), StringValue: *parts[part],
			Description: jsii.String("Of the database that the stage uses."),
		})
	}
}

// fromParameters returns the database as seen by another stack.
func (db database) fromParameters(st awscdk.Stack, s Settings) database {
	for part, value := range db.parameterValues() {
		*value = awsssm.StringParameter_ValueForStringParameter(st, s.parameterName(part), nil)
	}
	return db
}

// outputExtraDatabase outputs the address of an additional database, for copying rows to it.
func outputExtraDatabase(st awscdk.Stack, c DatabaseID, db database) {
	for what, value := range map[string]*string{"Host": db.direct.host, "SecretArn": db.secret} {
		awscdk.NewCfnOutput(st, jsii.String("Beside"+what), &awscdk.CfnOutputProps{
			Value: value, Description: jsii.String("Of the database " + c.String() + ", which nothing uses yet."),
		})
	}
}
