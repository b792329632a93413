package stack

import (
	"strconv"

	"github.com/aws/aws-cdk-go/awscdk/v2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awscloudwatch"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsec2"
	"github.com/aws/aws-cdk-go/awscdk/v2/awskms"
	"github.com/aws/aws-cdk-go/awscdk/v2/awslogs"
	"github.com/aws/aws-cdk-go/awscdk/v2/awsrds"
	"github.com/aws/constructs-go/constructs/v10"
	"github.com/aws/jsii-runtime-go"

	"github.com/loadbay/loadbay/infra/blueprint"
)

const (
	databaseName = "loadbay"
	adminUser    = "loadbay_admin"
)

// database describes Postgres for functions and alarms.
type database struct {
	direct, pooled databaseEndpoint
	// secret is the ARN of the owner's password, which RDS stores and rotates.
	secret  *string
	metrics databaseMetrics
}

// databaseEndpoint is a way to connect: an address, and its id for IAM in
// arn:aws:rds-db:…:dbuser:<id>/<role>. pool is the name of its proxy, or nil.
type databaseEndpoint struct {
	host, resourceID, proxyID *string
}

// userARN returns the ARN of a Postgres role at the endpoint.
func (d databaseEndpoint) userARN(scope constructs.Construct, role blueprint.DatabaseRole) *string {
	return awscdk.Stack_Of(scope).FormatArn(&awscdk.ArnComponents{
		Service: jsii.String("rds-db"), Resource: jsii.String("dbuser"),
		ResourceName: jsii.String(*d.resourceID + "/" + string(role)), ArnFormat: awscdk.ArnFormat_COLON_RESOURCE_NAME,
	})
}

// The dimensions by which RDS reports the metrics of a database.
const (
	clusterDimension  = "DBClusterIdentifier"
	instanceDimension = "DBInstanceIdentifier"
)

// databaseMetrics locates the metrics of a database by dimension and value.
type databaseMetrics struct {
	dimension string
	name      *string
}

func (m databaseMetrics) metric(name, stat string, period awscdk.Duration) awscloudwatch.IMetric {
	return awscloudwatch.NewMetric(&awscloudwatch.MetricProps{
		Namespace: jsii.String("AWS/RDS"), MetricName: jsii.String(name), Statistic: jsii.String(stat), Period: period,
		DimensionsMap: &map[string]*string{m.dimension: m.name},
	})
}

// newDatabase creates the configured database in a scope of its own.
func newDatabase(st constructs.Construct, s Settings, net network, key awskms.IKey) database {
	group := newSecurityGroup(st, net.vpc, "Database", "Postgres.")
	allowPostgres(net.functions, group)
	if s.scalesToZero() {
		cluster := newCluster(st, s, net, group, key)
		direct := databaseEndpoint{host: cluster.ClusterEndpoint().Hostname(), resourceID: cluster.ClusterResourceIdentifier()}
		// A proxy would keep connections open and the database awake.
		return database{
			direct: direct, pooled: direct, secret: cluster.Secret().SecretArn(),
			metrics: databaseMetrics{clusterDimension, cluster.ClusterIdentifier()},
		}
	}
	instance := newInstance(st, s, net, group, key)
	direct := databaseEndpoint{host: instance.DbInstanceEndpointAddress(), resourceID: instance.InstanceResourceId()}
	return database{
		direct: direct, pooled: newProxy(st, net, awsrds.ProxyTarget_FromInstance(instance), direct),
		secret: instance.Secret().SecretArn(), metrics: databaseMetrics{instanceDimension, instance.InstanceIdentifier()},
	}
}

// newDatabaseLog creates the log group of a database in advance, because the database would
// create one without expiry.
func newDatabaseLog(scope constructs.Construct, s Settings, key awskms.IKey, kind string) awslogs.LogGroup {
	return newLogGroup(scope, s, key, "Postgres", "/aws/rds/"+kind+"/"+s.databaseName()+"/postgresql")
}

// allowPostgres opens Postgres' port from one group to the other, with rules in both.
func allowPostgres(from, to awsec2.ISecurityGroup) {
	port := awsec2.Port_Tcp(jsii.Number(postgresPort))
	to.AddIngressRule(from, port, jsii.String("Postgres"), nil)
	from.AddEgressRule(to, port, jsii.String("Postgres"), nil)
}

// postgresParameters are Postgres' own settings. Statements have rows as parameters and errors
// quote keys, so neither may be logged: no cell value leaves the tables.
func postgresParameters(s Settings) *map[string]*string {
	values := map[string]string{
		"rds.force_ssl":                       "1",
		"max_connections":                     strconv.Itoa(s.Stage.MaxConnections),
		"log_error_verbosity":                 "terse",
		"log_min_error_statement":             "panic",
		"log_parameter_max_length":            "0",
		"log_parameter_max_length_on_error":   "0",
		"log_min_duration_statement":          "1000",
		"log_lock_waits":                      "1",
		"idle_in_transaction_session_timeout": "300000",
	}
	if s.scalesToZero() {
		// Lambda freezes functions with open connections, which would keep the database awake. This
		// does not apply behind a proxy, which has connections of its own.
		values["idle_session_timeout"] = strconv.Itoa(idleSessionTimeout)
	}
	return jsiiMap(values)
}

// idleSessionTimeout closes idle connections to a database that can pause, in milliseconds. It
// is longer than the pauses of a working function.
const idleSessionTimeout = 60_000

func jsiiMap(values map[string]string) *map[string]*string {
	m := make(map[string]*string, len(values))
	for k, v := range values {
		m[k] = jsii.String(v)
	}
	return &m
}
