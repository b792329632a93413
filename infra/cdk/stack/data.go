package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsdynamodb"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awss3"
	"github.com/aws/aws-cdk-go/awscdk/v2/awssecretsmanager"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// data holds the persistent resources of the service.
type data struct {
	key      awskms.IKey
	network  network
	database database
	bucket   awss3.Bucket
	table    awsdynamodb.Table
	secret   awssecretsmanager.Secret
}

func newData(app awscdk.App, s Settings, b *blueprint.Blueprint) data {
	st := newStack(app, s, DataPart, "Loadbay's key, network, database, bucket, table and secret.")
	key := newKey(st, s)
	net := newNetwork(st, s, b, key)
	if s.ExtraDatabase != nil {
		beside := s.withDatabase(*s.ExtraDatabase)
		beside.Postgres = s.ExtraPostgres
		outputExtraDatabase(st, *s.ExtraDatabase, newDatabase(constructs.NewConstruct(st, jsii.String(s.ExtraDatabase.String())), beside, net, key))
	}
	var db database
	if s.ExistingDatabase != nil {
		db = importDatabase(st, s, net)
	} else {
		db = newDatabase(constructs.NewConstruct(st, jsii.String(s.Database().String())), s, net, key)
	}
	publishDatabase(st, s, db)
	bucket := newBucket(st, s, b.Bucket, key)
	awscdk.NewCfnOutput(st, jsii.String("FilesBucket"), &awscdk.CfnOutputProps{Value: bucket.BucketName(), Description: jsii.String("The bucket with the drop folder.")})
	if s.WithoutConsole {
		// The console of an earlier deployment imports it until it is removed, which is later.
		st.ExportValue(bucket.BucketRegionalDomainName(), nil)
	}
	d := data{
		key:      key,
		network:  net,
		database: db,
		bucket:   bucket,
		table:    newTable(st, s, b.Table, key),
		secret:   newSecret(st, s, b.Secret, key),
	}
	if s.BackupCopies != "" {
		addBackups(st, s, d)
	}
	return d
}
