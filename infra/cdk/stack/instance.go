package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsrds"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// newInstance creates one RDS for PostgreSQL instance, with a standby in the other zone in
// stages with retained data.
func newInstance(st constructs.Construct, s Settings, net network, group awsec2.SecurityGroup, key awskms.IKey) awsrds.DatabaseInstance {
	engine := awsrds.DatabaseInstanceEngine_Postgres(&awsrds.PostgresInstanceEngineProps{Version: awsrds.PostgresEngineVersion_Of(jsii.String(s.Postgres), jsii.String(s.Postgres), nil)})
	instance := awsrds.NewDatabaseInstance(st, jsii.String("Database"), &awsrds.DatabaseInstanceProps{
		InstanceIdentifier:       jsii.String(s.databaseName()),
		Engine:                   engine,
		InstanceType:             awsec2.NewInstanceType(jsii.String(s.Stage.InstanceType)),
		DatabaseName:             jsii.String(databaseName),
		Credentials:              adminCredentials(key),
		ManageMasterUserPassword: jsii.Bool(true),
		IamAuthentication:        jsii.Bool(true),
		CaCertificate:            certificateKind(),
		ParameterGroup: awsrds.NewParameterGroup(st, jsii.String("Parameters"), &awsrds.ParameterGroupProps{
			Engine: engine, Parameters: postgresParameters(s), Description: jsii.String("Loadbay on PostgreSQL " + s.Postgres + "."),
		}),

		Vpc:            net.vpc,
		VpcSubnets:     selectSubnets(databaseSubnets),
		SecurityGroups: &[]awsec2.ISecurityGroup{group},
		MultiAz:        jsii.Bool(s.Stage.RetainData),

		StorageType:          awsrds.StorageType_GP3,
		AllocatedStorage:     jsii.Number(s.Stage.Storage),
		MaxAllocatedStorage:  jsii.Number(s.Stage.MaxStorage),
		StorageEncrypted:     jsii.Bool(true),
		StorageEncryptionKey: key,

		BackupRetention:                 awscdk.Duration_Days(jsii.Number(s.Stage.BackupDays)),
		CopyTagsToSnapshot:              jsii.Bool(true),
		AutoMinorVersionUpgrade:         jsii.Bool(true),
		DeletionProtection:              jsii.Bool(s.Stage.RetainData),
		RemovalPolicy:                   databaseRemoval(s),
		EnablePerformanceInsights:       jsii.Bool(true),
		PerformanceInsightEncryptionKey: key,
		CloudwatchLogsExports:           jsii.Strings("postgresql"),
	})
	instance.Node().AddDependency(newDatabaseLog(st, s, key, "instance"))
	suppressDatabase(instance, s)
	return instance
}

// certificateKind is the certificate authority with roots embedded in the functions: see
// shared/aws/rds/rdsca.
func certificateKind() awsrds.CaCertificate { return awsrds.CaCertificate_RDS_CA_RSA2048_G1() }

func adminCredentials(key awskms.IKey) awsrds.Credentials {
	return awsrds.Credentials_FromUsername(jsii.String(adminUser), &awsrds.CredentialsFromUsernameOptions{EncryptionKey: key})
}

func databaseRemoval(s Settings) awscdk.RemovalPolicy {
	if s.Stage.RetainData {
		return awscdk.RemovalPolicy_SNAPSHOT
	}
	return awscdk.RemovalPolicy_DESTROY
}
