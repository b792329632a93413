package stack_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cdk/stack"
)

// databaseResource is the instance or, with Aurora, the cluster.
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
		require.Equal(t, "16", db.Properties["EngineVersion"], "RDS raises the minor version, which a template would want back")
		for id, instance := range w.ofType("AWS::RDS::DBInstance") {
			require.Equal(t, false, instance.Properties["PubliclyAccessible"], id)
			require.Equal(t, "rds-ca-rsa2048-g1", instance.Properties["CACertificateIdentifier"], "the kind whose roots the functions have")
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
	require.Equal(t, true, instance.Properties["MultiAZ"], "a standby to fail over to")
}

// Rows are parameters of statements, and errors quote keys: the database's log
// must show neither.
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

// Functions with a bound of their own connect directly, the others through the
// proxy; each as its role, and by a door that its policy names.
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

// What may be replaced is no export: CloudFormation does not change one that is in use.
// The exports that there are name what has to stay.
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
				continue // of the account
			}
			require.NotContains(t, w.parameter(name), "made by none")
		}
		database, _ := databaseResource(t, w)
		require.Contains(t, w.parameter("/loadbay/"+w.stage+"/database/host"), "${"+database+".Endpoint")
		_, schema := w.single(t, "Custom::Schema", "", "")
		require.Equal(t, w.parameter("/loadbay/"+w.stage+"/database/host"), w.text(schema.Properties["Database"]), "another database is migrated, too")
	})
}

// Two databases stand beside each other while rows go from one to the other, and the
// service uses the one that it is told to.
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
	require.GreaterOrEqual(t, reached, 2, "the copy runs where functions do")
	_, before := w.single(t, "AWS::RDS::DBCluster", "", "")
	first, _ := synthesize(t, "dev-serverless").single(t, "AWS::RDS::DBCluster", "", "")
	require.Equal(t, first, beside, "it keeps its name when the service goes over to it, so that nothing is replaced: %v", before.Properties["DBClusterIdentifier"])
}

// What Postgres logs goes to a group that is made before it, which ends.
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
		require.NotContains(t, proxy.Properties, "Auth", "no secrets")
		role := w.resources[strings.TrimSuffix(strings.TrimPrefix(w.text(proxy.Properties["RoleArn"]), "${"), ".Arn}")]
		lines := roleGrants(t, w, role)
		require.Len(t, lines, 2)
		require.True(t, strings.HasSuffix(lines[0], "/loadbay_app"), lines[0])
		require.True(t, strings.HasSuffix(lines[1], "/loadbay_maintenance"), lines[1])
		for id, secret := range w.ofType("AWS::SecretsManager::Secret") {
			require.Equal(t, w.deployment().Name(w.blueprint.Secret.Name), secret.Properties["Name"], "%s: of the database", id)
		}
	})
}

// Nobody but `admin` can sign in as who makes organisations; of the proxy, the test above
// says it.
func TestOnlyAdminUsesOperatorRole(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for _, f := range w.blueprint.Functions {
			operates := strings.Contains(strings.Join(roleGrants(t, w, roleOf(t, w, f.Name)), "\n"), "/loadbay_operator")
			require.Equal(t, f.Name == "admin", operates, f.Name)
		}
	})
}

// connectionsPerInstance is how many an instance of a function opens at most: two, unless
// DATABASE_CONNECTIONS says otherwise.
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

// All that may connect at the same time fits, with ten left for people.
func TestConnectionBudget(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		most := w.settings.Stage.MaxConnections
		direct := 0
		for _, f := range w.blueprint.Functions {
			if f.Database != blueprint.NoDatabase {
				direct += connectionsPerInstance(t, f) * maxConnectedInstances(w, f)
			}
		}
		rest := most * minDirectPercent / 100 // for functions that nothing bounds
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

// minDirectPercent is the percentage of its connections that a database without a proxy has for
// functions that nothing bounds: the API and the steps. Those that it refuses then are
// answered 503, or tried again.
const minDirectPercent = 15

// maxConnectedInstances is how many instances of a function connect directly, at most: what it reserves,
// or, where there is no proxy, what its queues let in.
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

// A database that sleeps has nothing about it that keeps it awake: no capacity at rest, no
// reader, no proxy, and no connection that nobody uses.
func TestDatabaseCanScaleToZero(t *testing.T) {
	runEach(t, func(t *testing.T, w *stageTemplates) {
		for id, g := range w.ofType("AWS::RDS::DBParameterGroup") {
			require.NotContains(t, g.Properties["Parameters"], "idle_session_timeout", "%s: a proxy keeps its connections", id)
		}
		if !scalesToZero(w) {
			return
		}
		_, cluster := w.single(t, "AWS::RDS::DBCluster", "", "")
		scaling := nested(t, cluster.Properties, "ServerlessV2ScalingConfiguration")
		require.Equal(t, 0, intValue(nested(t, scaling, "MinCapacity")))
		require.Equal(t, 300, intValue(nested(t, scaling, "SecondsUntilAutoPause")))
		require.Len(t, w.ofType("AWS::RDS::DBInstance"), 1)
		require.Empty(t, w.ofType("AWS::RDS::DBProxy"))
		_, group := w.single(t, "AWS::RDS::DBClusterParameterGroup", "", "")
		require.Equal(t, "60000", nested(t, group.Properties, "Parameters", "idle_session_timeout"))
	})
}

// What runs without being asked, more than once a day, is outside of the network: it
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
