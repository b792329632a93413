package stack

import (
	"maps"
	"slices"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsssm"
	"github.com/aws/jsii-runtime-go"
)

// What the service stack needs to know of the database goes to it through parameters of
// Systems Manager and not as exports: CloudFormation refuses to change an export that is
// in use, and so would refuse to put another database in this one's place.

// parameterValues are what is published, by the last part of the parameters' names.
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
	return jsii.String("/loadbay/" + s.Stage.Name + "/database/" + part)
}

// publishDatabase says which database is the stage's.
func publishDatabase(st awscdk.Stack, s Settings, db database) {
	parts := db.parameterValues()
	for _, part := range slices.Sorted(maps.Keys(parts)) {
		awsssm.NewStringParameter(st, jsii.String("Published-"+part), &awsssm.StringParameterProps{
			ParameterName: s.parameterName(part), StringValue: *parts[part],
			Description: jsii.String("Of the database that the stage uses."),
		})
	}
}

// fromParameters is a database as another stack sees it.
func (db database) fromParameters(st awscdk.Stack, s Settings) database {
	for part, value := range db.parameterValues() {
		*value = awsssm.StringParameter_ValueForStringParameter(st, s.parameterName(part), nil)
	}
	return db
}

// outputExtraDatabase says where a database is that stands beside the one in use, for the copy
// that goes there.
func outputExtraDatabase(st awscdk.Stack, c DatabaseID, db database) {
	for what, value := range map[string]*string{"Host": db.direct.host, "SecretArn": db.secret} {
		awscdk.NewCfnOutput(st, jsii.String("Beside"+what), &awscdk.CfnOutputProps{
			Value: value, Description: jsii.String("Of the database " + c.String() + ", which nothing uses yet."),
		})
	}
}
