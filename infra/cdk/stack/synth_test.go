package stack_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/aws/jsii-runtime-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cdk/stack"
)

// variant is a deployment configuration, synthesized once for all tests.
type variant struct {
	stage   string
	context map[string]any
	// isolated limits a variant to its own tests, linting and cdk-nag.
	isolated bool
	// withoutNag leaves out cdk-nag.
	withoutNag bool
	// extraContext adds parts that today's blueprint does not use.
	extraContext blueprint.Blueprint
}

// issuer is a valid token issuer for a stage.
const issuer = "https://id.example.com/"

const existingKey = "arn:aws:kms:eu-central-1:111111111111:key/0f0f0f0f-1111-2222-3333-444444444444"

// The variants cover every branch of the settings: each kind of database in each stage, and each
// option in at least one of them.
var variants = map[string]variant{
	"dev":            {stage: "dev", context: map[string]any{"database": "instance"}},
	"dev-serverless": {stage: "dev", context: map[string]any{"jwtIssuer": issuer}},
	"dev-postgres18": {stage: "dev", isolated: true, context: map[string]any{"postgres": "17", "databaseBeside": "instance", "postgresBeside": "18", "jwtIssuer": issuer}},
	"dev-moving":     {stage: "dev", isolated: true, context: map[string]any{"database": "instance-2", "databaseBeside": "serverless", "zones": "us-east-1a, us-east-1d", "awsAccessBeside": "true", "minCapacity": 0.5, "instanceType": "t4g.medium", "jwtIssuer": issuer}},
	"dev-cognito":    {stage: "dev", context: map[string]any{"auth": "cognito", "awsAccess": "endpoints"}},
	"dev-cell":       {stage: "dev-north", isolated: true, context: map[string]any{"cell": "north", "auth": "cognito", "alarmEmail": "on-call@example.com", "dashboard": "true"}},
	"dev-no-console": {stage: "dev", isolated: true, context: map[string]any{"auth": "cognito", "console": "none"}},
	"prod-existing": {stage: "prod", isolated: true, context: map[string]any{
		"stage": "prod", "jwtIssuer": issuer, "vpcId": "vpc-0123456789abcdef0", "functionSubnets": "subnet-0000000000000000a,subnet-0000000000000000b",
		"databaseSubnets": "subnet-0000000000000000c,subnet-0000000000000000d", "kmsKeyArn": existingKey, "alarmEmail": "on-call@example.com",
		"backupCopies": "arn:aws:backup:eu-west-1:111111111111:backup-vault:loadbay", "permissionsBoundary": "developers",
	}},
	"prod-existing-database": {stage: "prod", isolated: true, context: map[string]any{
		"stage": "prod", "jwtIssuer": issuer, "vpcId": "vpc-0123456789abcdef0", "functionSubnets": "subnet-0000000000000000a,subnet-0000000000000000b",
		"databaseHost": "main.cluster-cabc123.eu-central-1.rds.amazonaws.com", "databaseResourceId": "cluster-ABC123", "databaseSecurityGroup": "sg-0123456789abcdef0",
		"databaseSecretArn": "arn:aws:secretsmanager:eu-central-1:111111111111:secret:main-AbCdEf", "databaseSecretKeyArn": existingKey, "databaseName": "imports",
	}},
	"prod-instance": {stage: "prod", context: map[string]any{"stage": "prod", "jwtIssuer": issuer}},
	"prod": {
		stage: "prod",
		context: map[string]any{
			"stage": "prod", "database": "serverless", "sam": "true",
			"jwtIssuer": issuer, "jwtAudience": "one, two",
			"corsOrigins": "https://app.example.com", "alarmEmail": "on-call@example.com",
			"QUOTA_STREAMS": "3", "atOnce": "true", "apiKeys": "true", "tracing": "true", "permissionsBoundary": "developers",
			"consoleDomain": "import.example.com", "consoleCertificate": "arn:aws:acm:us-east-1:111111111111:certificate/one",
			"authOrigins": "https://login.example.com",
		},
		extraContext: blueprint.Blueprint{
			Functions: []blueprint.Function{
				{
					Name: "streamer", Purpose: "Streams.", Memory: 256, Timeout: time.Minute,
					Database: blueprint.AppRole, Streams: true,
				},
				{
					Name: "caller", Purpose: "Sends callers to streamer; has no database.", Memory: 256, Timeout: time.Minute,
					Env: []blueprint.Env{{Name: "STREAMER_URL", Ref: blueprint.FunctionURL, RefName: "streamer"}, {Name: "MODE", Value: "plain"}},
					Grants: []blueprint.Grant{{
						Actions: []blueprint.Action{"lambda:InvokeFunctionUrl"}, Resource: blueprint.OnFunction, ResourceName: "streamer",
					}},
				},
			},
			Schedules: []blueprint.Schedule{{Name: "nightly", Expression: "cron(30 1 * * ? *)", Function: "caller"}},
		},
	},
}

func (v variant) blueprint(s stack.Settings) *blueprint.Blueprint {
	b := s.Blueprint()
	b.Functions = append(b.Functions, v.extraContext.Functions...)
	b.Schedules = append(b.Schedules, v.extraContext.Schedules...)
	return b
}

var errNoNode = errors.New("node is not on the PATH: the CDK needs it to synthesize, so these tests are skipped")

// synthesizedVariants returns the templates of every variant, or the error. The CDK's runtime is
// a single process, so they are synthesized one after the other.
var synthesizedVariants = sync.OnceValues(func() (map[string]*stageTemplates, error) {
	if _, err := exec.LookPath("node"); err != nil {
		return nil, errNoNode
	}
	worlds := map[string]*stageTemplates{}
	for name, v := range variants {
		w, err := v.synthesize(filepath.Join(testFolder, name))
		if err != nil {
			return nil, fmt.Errorf("variant %s: %w", name, err)
		}
		worlds[name] = w
	}
	return worlds, nil
})

// testFolder is shared by all tests; TestMain removes it.
var testFolder string

func TestMain(m *testing.M) {
	folder, err := os.MkdirTemp("", "loadbay-cdk-")
	if err != nil {
		panic(err)
	}
	testFolder = folder
	// The CDK's process ends together with this one. Its own Close waits for it twice concurrently,
	// which is a data race, so only its files have to be removed.
	_ = os.Setenv("TMPDIR", folder)
	code := m.Run()
	_ = os.RemoveAll(folder)
	os.Exit(code)
}

// synthesize returns a variant's templates as CloudFormation receives them.
func synthesize(t *testing.T, name string) *stageTemplates {
	t.Helper()
	worlds, err := synthesizedVariants()
	if errors.Is(err, errNoNode) {
		t.Skip(err)
	}
	require.NoError(t, err)
	return worlds[name]
}

// runEach runs a test on every variant that is not isolated.
func runEach(t *testing.T, test func(t *testing.T, w *stageTemplates)) {
	t.Parallel()
	run(t, func(v variant) bool { return !v.isolated }, test)
}

// runAll runs a test on every variant.
func runAll(t *testing.T, test func(t *testing.T, w *stageTemplates)) {
	t.Parallel()
	run(t, func(variant) bool { return true }, test)
}

func run(t *testing.T, of func(variant) bool, test func(t *testing.T, w *stageTemplates)) {
	t.Helper()
	for name, v := range variants {
		if !of(v) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, synthesize(t, name))
		})
	}
}

func (v variant) synthesize(folder string) (w *stageTemplates, err error) {
	defer func() { // the CDK panics on errors
		if fault := recover(); fault != nil {
			err = fmt.Errorf("synthesis: %v", fault)
		}
	}()
	assets, out := filepath.Join(folder, "assets"), filepath.Join(folder, "cdk.out")
	app := stack.NewApp(out)
	app.Node().SetContext(jsii.String("assets"), assets)
	for key, value := range v.context {
		app.Node().SetContext(jsii.String(key), value)
	}
	settings, err := stack.SettingsFromContext(app.Node())
	if err != nil {
		return nil, err
	}
	b := v.blueprint(settings)
	for _, f := range b.Functions {
		if err := writeStub(filepath.Join(assets, f.Name)); err != nil {
			return nil, err
		}
	}
	if err := stack.Build(app, settings, b); err != nil {
		return nil, err
	}
	if !v.withoutNag {
		stack.EnableNagChecks(app)
	}
	app.Synth(nil)
	w = &stageTemplates{stage: v.stage, folder: out, blueprint: b, settings: settings, context: v.context}
	return w, w.read()
}

// writeStub writes a stub for a compiled function.
func writeStub(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "bootstrap"), []byte(filepath.Base(folder)), 0o755)
}

// importPattern matches an import of another stack's export.
var importPattern = regexp.MustCompile(`"Fn::ImportValue":\s*"([^"]+)"`)

// read reads the templates of both stacks.
func (w *stageTemplates) read() error {
	w.resources, w.exports, w.outputs, w.ssmParameters = map[string]resource{}, map[string]any{}, map[string]any{}, map[string]string{}
	for _, part := range []string{stack.DataPart, stack.ServicePart} {
		content, err := os.ReadFile(w.template(part))
		if err != nil {
			return err
		}
		var t template
		if err := json.Unmarshal(content, &t); err != nil {
			return err
		}
		if err := w.add(t); err != nil {
			return fmt.Errorf("stack %s: %w", part, err)
		}
		for _, match := range importPattern.FindAllStringSubmatch(string(content), -1) {
			w.imports = append(w.imports, match[1])
		}
	}
	return nil
}
