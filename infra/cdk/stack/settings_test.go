package stack_test

import (
	"testing"

	"github.com/aws/jsii-runtime-go"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/cdk/stack"
)

// Invalid settings are rejected with all of their errors. Not parallel: each case creates an app
// of its own in the single CDK process.
func TestInvalidSettingsAreRefused(t *testing.T) {
	synthesize(t, "dev") // skips without node
	tests := map[string]struct {
		context map[string]any
		want    string
	}{
		"stage":             {map[string]any{"stage": "test"}, `context stage: "test" is neither dev nor prod`},
		"cell":              {map[string]any{"cell": "north-1"}, `context cell: "north-1" is not a letter and up to nine letters and digits`},
		"engine":            {map[string]any{"database": "mysql"}, `context database: "mysql" is neither instance nor serverless`},
		"engine's number":   {map[string]any{"database": "instance-1"}, `context database: "instance-1" does not end in a number of 2 or more`},
		"postgres":          {map[string]any{"postgres": "15"}, `context postgres: "15" is none of 16, 17 and 18`},
		"beside itself":     {map[string]any{"databaseBeside": "serverless"}, "context databaseBeside: serverless is the active database"},
		"prod without JWT":  {map[string]any{"stage": "prod"}, "context jwtIssuer: required for stage prod"},
		"auth":              {map[string]any{"auth": "okta"}, `context auth: "okta" is not cognito`},
		"two issuers":       {map[string]any{"auth": "cognito", "jwtIssuer": issuer}, "context jwtIssuer: the user pool of auth=cognito is the issuer"},
		"claims of others":  {map[string]any{"auth": "cognito", "AUTH_SCOPE_CLAIM": "scp"}, "context AUTH_SCOPE_CLAIM: determined by the user pool of auth=cognito"},
		"issuer":            {map[string]any{"jwtIssuer": "http://id.example.com"}, `"http://id.example.com" is not an https URL`},
		"audience":          {map[string]any{"jwtAudience": " , "}, "context jwtAudience: empty"},
		"half a domain":     {map[string]any{"consoleDomain": "import.example.com"}, "both are required"},
		"no origin":         {map[string]any{"authOrigins": "https://login.example.com/"}, "is not an https origin"},
		"access":            {map[string]any{"awsAccess": "nat"}, `context awsAccess: "nat" is neither endpoints nor ipv6`},
		"capacity":          {map[string]any{"minCapacity": 0.3}, `context minCapacity: "0.3" is not a number of ACU from 0 to 4 in steps of 0.5`},
		"one zone":          {map[string]any{"zones": "us-east-1a"}, "context zones: 1 zones, but the network has 2"},
		"console":           {map[string]any{"console": "small"}, `context console: "small" is not none`},
		"no console":        {map[string]any{"console": "none", "consoleDomain": "import.example.com", "consoleCertificate": "arn"}, "context consoleDomain: console=none has no console"},
		"network":           {map[string]any{"vpcId": "main", "functionSubnets": "subnet-0123456789,subnet-0123456780", "databaseSubnets": "subnet-0123456781,subnet-0123456782"}, `context vpcId: "main" is not the id of a VPC`},
		"one subnet":        {map[string]any{"vpcId": "vpc-0123456789", "functionSubnets": "subnet-0123456789"}, "context functionSubnets: 1 subnets, but functions need 2"},
		"no subnets":        {map[string]any{"vpcId": "vpc-0123456789", "functionSubnets": "subnet-0123456789,subnet-0123456780"}, "context databaseSubnets: 0 subnets, but the database needs 2"},
		"subnets alone":     {map[string]any{"functionSubnets": "subnet-0123456789,subnet-0123456780"}, `context vpcId: "" is not the id of a VPC`},
		"alias of a key":    {map[string]any{"kmsKeyArn": "arn:aws:kms:eu-central-1:111111111111:alias/main"}, "is not the ARN of a KMS key (an alias has another)"},
		"reader":            {map[string]any{"databaseHost": "main.cluster-ro-cabc.eu-central-1.rds.amazonaws.com"}, "is not the endpoint of an RDS instance or the writer"},
		"host alone":        {map[string]any{"databaseHost": "main.cabc.eu-central-1.rds.amazonaws.com"}, "context databaseResourceId: \"\" is not the resource id"},
		"host elsewhere":    {map[string]any{"databaseHost": "main.cabc.eu-central-1.rds.amazonaws.com"}, "context databaseHost: set vpcId too"},
		"two databases":     {map[string]any{"databaseHost": "main.cabc.eu-central-1.rds.amazonaws.com", "database": "instance"}, "context database: databaseHost is the database"},
		"half a database":   {map[string]any{"databaseSecurityGroup": "sg-0123456789"}, `context databaseHost: "" is not the endpoint`},
		"vault":             {map[string]any{"backupCopies": "eu-west-1"}, `context backupCopies: "eu-west-1" is not the ARN of a backup vault`},
		"budget":            {map[string]any{"monthlyBudget": "much"}, `context monthlyBudget: "much" is not an amount of US dollars`},
		"gateways":          {map[string]any{"natGateways": "1"}, "context natGateways: removed, because "},
		"sam, not a switch": {map[string]any{"sam": "perhaps"}, "context sam: "},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			app := stack.NewApp(t.TempDir())
			for key, value := range tt.context {
				app.Node().SetContext(jsii.String(key), value)
			}
			_, err := stack.SettingsFromContext(app.Node())
			require.ErrorContains(t, err, tt.want)
		})
	}
}

// Without the root certificate of the region's databases, a deployment would fail at the first
// connection.
func TestUnknownRegionIsRefused(t *testing.T) {
	t.Parallel()
	require.NoError(t, stack.CheckRegion(""))
	require.NoError(t, stack.CheckRegion("eu-central-1"))
	require.ErrorContains(t, stack.CheckRegion("moon-north-1"), "region moon-north-1: shared/aws/rds/rdsca has no certificate authority for its databases")
}

// The CLI provides strings, a file any JSON value.
func TestSettingsFromFile(t *testing.T) {
	synthesize(t, "dev")
	app := stack.NewApp(t.TempDir())
	for key, value := range map[string]any{"QUOTA_STREAMS": 2, "sam": true} {
		app.Node().SetContext(jsii.String(key), value)
	}
	s, err := stack.SettingsFromContext(app.Node())
	require.NoError(t, err)
	require.Equal(t, "2", s.Functions["QUOTA_STREAMS"])
	require.True(t, s.SAM)
	require.Equal(t, stack.Serverless, s.Engine)
	require.Equal(t, "bin/lambda", s.Assets)
}

func TestBuildRefusesInvalidBlueprint(t *testing.T) {
	synthesize(t, "dev")
	app := stack.NewApp(t.TempDir())
	settings, err := stack.SettingsFromContext(app.Node())
	require.NoError(t, err)
	b := variants["dev"].blueprint(settings)
	settings.Assets = t.TempDir()
	require.ErrorContains(t, stack.Build(app, settings, b), "function api is not built (make build-lambda)")
	b.Schedules[0].Function = "gone"
	require.ErrorContains(t, stack.Build(app, settings, b), `schedule wake: unknown function "gone"`)
}
