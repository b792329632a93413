package stack

import (
	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsrds"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"
)

// autoPauseAfter is the idle time in minutes before the cluster pauses; Aurora allows no less.
const autoPauseAfter = 5

// newCluster creates an Aurora Serverless v2 cluster of one instance, which pauses when it has
// no connections. A reader for failover or a proxy would keep it awake; its data is in three
// zones anyway, and a failed writer is replaced within minutes.
func newCluster(st constructs.Construct, s Settings, net network, group awsec2.SecurityGroup, key awskms.IKey) awsrds.DatabaseCluster {
	// For a major version alone AWS selects the newest minor one, which can pause: the first to
	// support it is 16.3.
	version := awsrds.AuroraPostgresEngineVersion_Of(jsii.String(s.Postgres), jsii.String(s.Postgres), &awsrds.AuroraPostgresEngineFeatures{ServerlessV2AutoPauseSupported: jsii.Bool(true)})
	engine := awsrds.DatabaseClusterEngine_AuroraPostgres(&awsrds.AuroraPostgresClusterEngineProps{Version: version})
	cluster := awsrds.NewDatabaseCluster(st, jsii.String("Cluster"), &awsrds.DatabaseClusterProps{
		ClusterIdentifier:        jsii.String(s.databaseName()),
		Engine:                   engine,
		DefaultDatabaseName:      jsii.String(databaseName),
		Credentials:              adminCredentials(key),
		ManageMasterUserPassword: jsii.Bool(true),
		IamAuthentication:        jsii.Bool(true),
		// Operators run statements by the Data API: nothing outside the network can connect.
		EnableDataApi: jsii.Bool(true),
		ParameterGroup: awsrds.NewParameterGroup(st, jsii.String("Parameters"), &awsrds.ParameterGroupProps{
			Engine: engine, Parameters: postgresParameters(s), Description: jsii.String("Loadbay on Aurora PostgreSQL " + s.Postgres + "."),
		}),

		Vpc:                           net.vpc,
		VpcSubnets:                    selectSubnets(databaseSubnets),
		SecurityGroups:                &[]awsec2.ISecurityGroup{group},
		ServerlessV2MinCapacity:       jsii.Number(s.Stage.MinCapacity),
		ServerlessV2AutoPauseDuration: pauseAfter(s),
		ServerlessV2MaxCapacity:       jsii.Number(s.Stage.MaxCapacity),
		Writer: awsrds.ClusterInstance_ServerlessV2(jsii.String("Writer"), &awsrds.ServerlessV2ClusterInstanceProps{
			AutoMinorVersionUpgrade:         jsii.Bool(true),
			CaCertificate:                   certificateKind(),
			EnablePerformanceInsights:       jsii.Bool(true),
			PerformanceInsightEncryptionKey: key,
		}),

		StorageEncrypted:      jsii.Bool(true),
		StorageEncryptionKey:  key,
		Backup:                &awsrds.BackupProps{Retention: awscdk.Duration_Days(jsii.Number(s.Stage.BackupDays))},
		CopyTagsToSnapshot:    jsii.Bool(true),
		DeletionProtection:    jsii.Bool(s.Stage.RetainData),
		RemovalPolicy:         databaseRemoval(s),
		CloudwatchLogsExports: jsii.Strings("postgresql"),
	})
	cluster.Node().AddDependency(newDatabaseLog(st, s, key, "cluster"))
	suppressDatabase(cluster, s)
	return cluster
}

// pauseAfter returns the idle time before the cluster pauses, or nil.
func pauseAfter(s Settings) awscdk.Duration {
	if !s.pauses() {
		return nil
	}
	return minutes(autoPauseAfter)
}
