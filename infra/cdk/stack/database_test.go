package stack_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cdk/stack"
)

// databaseResource returns the instance or, with Aurora, the cluster.
func databaseResource(t *testing.T, w *stageTemplates) (id string, r resource) {
	t.Helper()
	if len(w.ofType("AWS::RDS::DBCluster")) > 0 {
		return w.single(t, "AWS::RDS::DBCluster", "", "")
	}
	return w.single(t, "AWS::RDS::DBInstance", "", "")
}

func TestDatabaseIsPrivateAndEncrypted(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, db := databaseResource(t, w)
		key, _ := w.single(t, "AWS::KMS::Key", "", "")
		require.Equal(t, true, db.Properties["StorageEncrypted"])
		require.Equal(t, "${"+key+".Arn}", w.text(db.Properties["KmsKeyId"]))
		require.Equal(t, true, db.Properties["EnableIAMDatabaseAuthentication"])
		require.Equal(t, true, db.Properties["ManageMasterUserPassword"])
		require.Equal(t, "${"+key+".Arn}", w.text(nested(t, db.Properties, "MasterUserSecret", "KmsKeyId")))
		require.NotContains(t, db.Properties, "MasterUserPassword")
		require.Equal(t, w.settings.Postgres, db.Properties["EngineVersion"], "RDS upgrades minor versions; a pinned one would be reverted by the next deployment")
		for id, instance := range w.ofType("AWS::RDS::DBInstance") {
			require.Equal(t, false, instance.Properties["PubliclyAccessible"], id)
			require.Equal(t, "rds-ca-rsa2048-g1", instance.Properties["CACertificateIdentifier"], "the certificate authority is one whose roots the functions include")
		}
	})
}

func TestDatabaseRemovalFollowsStage(t *testing.T) {
	t.Parallel()
	_, dev := databaseResource(t, synthesize(t, "dev"))
	require.Equal(t, false, dev.Properties["DeletionProtection"])
	require.Equal(t, "Delete", dev.DeletionPolicy)
	require.InDelta(t, 1, dev.Properties["BackupRetentionPeriod"], 0)

	prod := synthesize(t, "prod")
	_, cluster := databaseResource(t, prod)
	require.Equal(t, true, cluster.Properties["DeletionProtection"])
	require.Equal(t, "Snapshot", cluster.DeletionPolicy)
	require.InDelta(t, 14, cluster.Properties["BackupRetentionPeriod"], 0)
	_, instance := databaseResource(t, synthesize(t, "prod-instance"))
	require.Equal(t, true, instance.Properties["MultiAZ"], "a standby exists for failover")
}

// Statements have rows as parameters, and errors quote keys: the database's log must contain
// neither.
func TestDatabaseLogHoldsNoRows(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		kind := "AWS::RDS::DBParameterGroup"
		if w.settings.Engine == "serverless" {
			kind = "AWS::RDS::DBClusterParameterGroup"
		}
		_, group := w.single(t, kind, "", "")
		got := group.Properties["Parameters"].(map[string]any)
		for name, want := range map[string]string{
			"rds.force_ssl": "1", "log_error_verbosity": "terse", "log_min_error_statement": "panic",
			"log_parameter_max_length": "0", "log_parameter_max_length_on_error": "0",
		} {
			require.Equal(t, want, got[name], name)
		}
	})
}

// Functions with a concurrency limit connect directly, the others through the proxy. Each uses
// its role and the endpoint that its policy names.
func TestDatabaseEndpoints(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		database, _ := databaseResource(t, w)
		proxy := ""
		if !scalesToZero(w) {
			proxy, _ = w.single(t, "AWS::RDS::DBProxy", "", "")
		}
		for _, f := range w.blueprint.Functions {
			if f.Database == blueprint.NoDatabase {
				continue
			}
			_, r := w.function(t, f.Name)
			variables := nested(t, r.Properties, "Environment", "Variables").(map[string]any)
			host, role := w.text(variables["DATABASE_HOST"]), strings.Join(roleGrants(t, w, roleOf(t, w, f.Name)), "\n")
			require.Equal(t, "5432", variables["DATABASE_PORT"])
			require.Equal(t, "loadbay", variables["DATABASE_NAME"])
			switch {
			case f.Database == blueprint.AdminRole:
				require.Equal(t, "${"+database+".Endpoint.Address}", host)
				require.NotContains(t, variables, "DATABASE_USER")
				require.Equal(t, "${"+database+".MasterUserSecret.SecretArn}", w.text(variables["DATABASE_SECRET_ARN"]))
				require.NotContains(t, role, "rds-db:connect")
			case f.Concurrency > 0 || scalesToZero(w):
				require.Equal(t, "${"+database+".Endpoint.Address}", host, f.Name)
				require.Contains(t, role, "ResourceId}/"+string(f.Database), f.Name)
				require.Equal(t, string(f.Database), variables["DATABASE_USER"])
			default:
				require.Equal(t, "${"+proxy+".Endpoint}", host, f.Name)
				require.Contains(t, role, "${Select 6 of ${Split : of ${"+proxy+".DBProxyArn}}}/"+string(f.Database), f.Name)
				require.Equal(t, string(f.Database), variables["DATABASE_USER"])
			}
		}
	})
}

// Resources that may be replaced are not exported, because CloudFormation does not change an
// export in use. The existing exports name resources that must remain.
func TestDatabaseCanBeSwitched(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for name, value := range w.exports {
			if name == "" {
				continue // an output for people
			}
			id, _, _ := strings.Cut(strings.Trim(w.text(value), "${}"), ".")
			require.Contains(t, []string{"AWS::KMS::Key", "AWS::EC2::Subnet", "AWS::EC2::SecurityGroup", "AWS::S3::Bucket", "AWS::DynamoDB::Table"}, w.resources[id].Type, name)
		}
		for _, name := range w.ssmParameters {
			if strings.HasPrefix(name, "/cdk-bootstrap/") {
				continue // a resource of the account
			}
			require.NotContains(t, w.parameter(name), "made by none")
		}
		database, _ := databaseResource(t, w)
		require.Contains(t, w.parameter("/loadbay/"+w.stage+"/database/host"), "${"+database+".Endpoint")
		_, schema := w.single(t, "Custom::Schema", "", "")
		require.Equal(t, w.parameter("/loadbay/"+w.stage+"/database/host"), w.text(schema.Properties["Database"]), "the additional database is migrated too")
	})
}

// Two databases exist side by side while rows are copied, and the service uses the configured
// one.
func TestExtraDatabaseIsIndependent(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-moving")
	used, _ := w.single(t, "AWS::RDS::DBInstance", "DBInstanceIdentifier", "loadbay-instance-2-dev")
	beside, _ := w.single(t, "AWS::RDS::DBCluster", "DBClusterIdentifier", "loadbay-serverless-dev")
	_, process := w.function(t, "process")
	require.Equal(t, "${"+used+".Endpoint.Address}", w.text(nested(t, process.Properties, "Environment", "Variables", "DATABASE_HOST")))
	require.Equal(t, "${"+beside+".Endpoint.Address}", w.text(w.output(t, "BesideHost")))
	require.Equal(t, "${"+beside+".MasterUserSecret.SecretArn}", w.text(w.output(t, "BesideSecretArn")))
	reached := 0
	for _, rule := range w.ofType("AWS::EC2::SecurityGroupIngress") {
		if strings.Contains(w.text(rule.Properties["SourceSecurityGroupId"]), "FunctionsSecurityGroup") && w.text(rule.Properties["ToPort"]) == "5432" {
			reached++
		}
	}
	require.GreaterOrEqual(t, reached, 2, "both databases are reachable from the functions' security group, where the copy runs")
	_, before := w.single(t, "AWS::RDS::DBCluster", "", "")
	first, _ := synthesize(t, "dev-serverless").single(t, "AWS::RDS::DBCluster", "", "")
	require.Equal(t, first, beside, "the database keeps its logical name when the service switches to it, so that it is not replaced: %v", before.Properties["DBClusterIdentifier"])
}

// A stage has the major version that is chosen, also while rows are copied to a newer one.
func TestPostgresVersionIsChosen(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-postgres18")
	_, used := w.single(t, "AWS::RDS::DBCluster", "", "")
	require.Equal(t, "17", used.Properties["EngineVersion"])
	_, beside := w.single(t, "AWS::RDS::DBInstance", "DBInstanceIdentifier", "loadbay-instance-dev")
	require.Equal(t, "18", beside.Properties["EngineVersion"])
	_, parameters := w.single(t, "AWS::RDS::DBClusterParameterGroup", "", "")
	require.Equal(t, "aurora-postgresql17", parameters.Properties["Family"])
	_, parameters = w.single(t, "AWS::RDS::DBParameterGroup", "", "")
	require.Equal(t, "postgres18", parameters.Properties["Family"])
}

// Postgres logs to a group with an expiry that is created before the database.
func TestDatabaseLogExpires(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		_, db := databaseResource(t, w)
		name := "/aws/rds/instance/" + w.text(db.Properties["DBInstanceIdentifier"]) + "/postgresql"
		if w.settings.Engine == stack.Serverless {
			name = "/aws/rds/cluster/" + w.text(db.Properties["DBClusterIdentifier"]) + "/postgresql"
		}
		group, _ := w.single(t, "AWS::Logs::LogGroup", "LogGroupName", name)
		require.Contains(t, db.DependsOn, group)
	})
}

func TestProxySignsInWithoutPasswords(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		if scalesToZero(w) {
			require.Empty(t, w.ofType("AWS::RDS::DBProxy"))
			return
		}
		_, proxy := w.single(t, "AWS::RDS::DBProxy", "", "")
		require.Equal(t, "IAM_AUTH", proxy.Properties["DefaultAuthScheme"])
		require.Equal(t, true, proxy.Properties["RequireTLS"])
		require.NotContains(t, proxy.Properties, "Auth", "the proxy uses no secrets")
		role := w.resources[strings.TrimSuffix(strings.TrimPrefix(w.text(proxy.Properties["RoleArn"]), "${"), ".Arn}")]
		lines := roleGrants(t, w, role)
		require.Len(t, lines, 2)
		require.True(t, strings.HasSuffix(lines[0], "/loadbay_app"), lines[0])
		require.True(t, strings.HasSuffix(lines[1], "/loadbay_maintenance"), lines[1])
		for id, secret := range w.ofType("AWS::SecretsManager::Secret") {
			require.Equal(t, w.deployment().Name(w.blueprint.Secret.Name), secret.Properties["Name"], "%s: the only secret belongs to the database", id)
		}
	})
}

// Only `admin` can sign in as the operator role, which creates organisations; the test above
// covers the proxy.
func TestOnlyAdminUsesOperatorRole(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			operates := strings.Contains(strings.Join(roleGrants(t, w, roleOf(t, w, f.Name)), "\n"), "/loadbay_operator")
			require.Equal(t, f.Name == "admin", operates, f.Name)
		}
	})
}

// connectionsPerInstance is the maximum number of connections of a function instance: two,
// unless DATABASE_CONNECTIONS sets another number.
func connectionsPerInstance(t *testing.T, f blueprint.Function) int {
	t.Helper()
	for _, e := range f.Env {
		if e.Name == "DATABASE_CONNECTIONS" {
			n, err := strconv.Atoi(e.Value)
			require.NoError(t, err)
			return n
		}
	}
	return 2
}

// The possible concurrent connections fit into the limit, with ten left for people.
func TestConnectionBudget(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		most := w.settings.Stage.MaxConnections
		direct := 0
		for _, f := range w.blueprint.Functions {
			if f.Database != blueprint.NoDatabase {
				direct += connectionsPerInstance(t, f) * maxConnectedInstances(w, f)
			}
		}
		rest := most * minDirectPercent / 100 // for functions without a concurrency limit
		if !scalesToZero(w) {
			_, targets := w.single(t, "AWS::RDS::DBProxyTargetGroup", "", "")
			rest = most * intValue(nested(t, targets.Properties, "ConnectionPoolConfigurationInfo", "MaxConnectionsPercent")) / 100
		}
		require.LessOrEqual(t, direct+rest+10, most)
		for _, kind := range []string{"AWS::RDS::DBParameterGroup", "AWS::RDS::DBClusterParameterGroup"} {
			for _, group := range w.ofType(kind) {
				require.Equal(t, strconv.Itoa(most), nested(t, group.Properties, "Parameters", "max_connections"))
			}
		}
	})
}

// minDirectPercent is the minimum percentage of connections for functions without a concurrency
// limit (the API and the steps) if the database has no proxy. Requests that are refused a
// connection get 503 or are retried.
const minDirectPercent = 15

// maxConnectedInstances is the maximum number of directly connected instances of a function: its
// reserved concurrency or, without a proxy, the concurrency of its queues.
func maxConnectedInstances(w *stageTemplates, f blueprint.Function) int {
	n := f.Concurrency
	if n == 0 && scalesToZero(w) {
		for _, s := range w.blueprint.EventSources {
			if s.Function == f.Name {
				n += s.MaxConcurrency
			}
		}
	}
	return n
}

func scalesToZero(w *stageTemplates) bool { return w.settings.Engine == stack.Serverless }

// Nothing keeps a database that can pause awake: no minimum capacity, no reader, no proxy, and
// no idle connections.
func TestDatabaseCanScaleToZero(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for id, g := range w.ofType("AWS::RDS::DBParameterGroup") {
			require.NotContains(t, g.Properties["Parameters"], "idle_session_timeout", "%s: proxy connections are not closed when idle", id)
		}
		if !scalesToZero(w) {
			return
		}
		_, cluster := w.single(t, "AWS::RDS::DBCluster", "", "")
		scaling := nested(t, cluster.Properties, "ServerlessV2ScalingConfiguration")
		require.Equal(t, 0, intValue(nested(t, scaling, "MinCapacity")))
		require.Equal(t, 300, intValue(nested(t, scaling, "SecondsUntilAutoPause")))
		require.Equal(t, true, cluster.Properties["EnableHttpEndpoint"], "the runbook runs statements by the Data API")
		require.Len(t, w.ofType("AWS::RDS::DBInstance"), 1)
		require.Empty(t, w.ofType("AWS::RDS::DBProxy"))
		_, group := w.single(t, "AWS::RDS::DBClusterParameterGroup", "", "")
		require.Equal(t, "60000", nested(t, group.Properties, "Parameters", "idle_session_timeout"))
	})
}

// A minimum capacity keeps the database awake, and the instance type is a setting.
func TestDatabaseSizes(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev-moving")
	_, cluster := w.single(t, "AWS::RDS::DBCluster", "", "")
	scaling := nested(t, cluster.Properties, "ServerlessV2ScalingConfiguration").(map[string]any)
	require.InDelta(t, 0.5, scaling["MinCapacity"], 0)
	require.NotContains(t, scaling, "SecondsUntilAutoPause")
	_, instance := w.single(t, "AWS::RDS::DBInstance", "DBInstanceIdentifier", "loadbay-instance-2-dev")
	require.Equal(t, "db.t4g.medium", instance.Properties["DBInstanceClass"])
}

// Functions with a schedule more frequent than daily are outside the network, so that they
// cannot wake the database.
func TestFrequentSchedulesAvoidDatabase(t *testing.T) {
	t.Parallel()
	for _, s := range blueprint.New().Schedules {
		f, _ := blueprint.New().Function(s.Function)
		if strings.HasPrefix(s.Expression, "rate(") {
			require.Equal(t, blueprint.NoDatabase, f.Database, s.Name)
		}
	}
}

// Health checks let a database pause that can, and check any other one each time.
func TestHealthChecksKnowPausingDatabase(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			_, r := w.function(t, f.Name)
			variables := r.variables()
			if f.Name == "api" && scalesToZero(w) {
				require.Equal(t, "true", variables["DATABASE_PAUSES"])
			} else {
				require.NotContains(t, variables, "DATABASE_PAUSES", f.Name)
			}
		}
	})
}
