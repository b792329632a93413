package stack_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/cdk/stack"
)

// The variants, which all other checks iterate over, cover each kind of database in each stage,
// and each option both on and off.
func TestVariantsCoverContexts(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for name := range variants {
		s := synthesize(t, name).settings
		seen[fmt.Sprintf("%s of %s", s.Engine, s.Stage.Name)] = true
		for what, on := range map[string]bool{
			"browsers": len(s.Origins) > 0, "email": s.AlarmEmail != "", "sam": s.SAM, "user pool": s.UserPool, "at once": s.AllAtOnce,
		} {
			seen[fmt.Sprintf("%s %t", what, on)] = true
		}
	}
	for _, engine := range []stack.Engine{stack.Instance, stack.Serverless} {
		for _, stage := range []string{"dev", "prod"} {
			require.Contains(t, seen, fmt.Sprintf("%s of %s", engine, stage))
		}
	}
	for _, what := range []string{"browsers", "email", "sam", "user pool", "at once"} {
		require.Contains(t, seen, what+" true")
		require.Contains(t, seen, what+" false")
	}
}

// Two stages, and two cells of a stage, can coexist in one account and region: they share no
// explicit resource name.
func TestStagesShareNoNames(t *testing.T) {
	t.Parallel()
	dev := physicalNames(synthesize(t, "dev-cognito"))
	require.Greater(t, len(dev), 80)
	for _, other := range []string{"prod-instance", "dev-cell"} {
		names := physicalNames(synthesize(t, other))
		require.Greater(t, len(names), 80)
		require.Empty(t, slices.DeleteFunc(slices.Clone(dev), func(name string) bool { return !slices.Contains(names, name) }), other)
	}
}

// S3 allows 63 characters, Lambda and CloudFront 64, and Aurora 63: also for the longest cell, in the
// region with the longest name.
func TestNamesOfLongestCellAreAllowed(t *testing.T) {
	t.Parallel()
	long := strings.NewReplacer("dev-north", "prod-abcdefghij", "${AWS::AccountId}", "123456789012", "${AWS::Region}", "ap-southeast-1")
	for _, name := range physicalNames(synthesize(t, "dev-cell")) {
		kind, name, _ := strings.Cut(name, " ")
		limit := map[string]int{"AWS::S3::Bucket": 63, "AWS::Lambda::Function": 64, "AWS::CloudFront::Function": 64, "AWS::RDS::DBCluster": 63, "AWS::Cognito::UserPoolDomain": 63, "AWS::Events::Rule": 64, "AWS::SQS::Queue": 80}[kind]
		if limit > 0 {
			require.LessOrEqual(t, len(long.Replace(name)), limit, "%s %s", kind, name)
		}
	}
}

// physicalNames returns the physical names in a stage's templates, with the resource type, and
// the names of the exports. CloudFormation derives the other names from the stack's name.
func physicalNames(w *stageTemplates) []string {
	inAccount := []string{
		"AlarmName", "AliasName", "BucketName", "DashboardName", "DBClusterIdentifier", "DBInstanceIdentifier", "DBProxyName", "Domain", "FunctionName", "LogGroupName", "ParameterName",
		"QueueName", "RoleName", "StateMachineName", "TableName", "TopicName", "UserPoolName",
	}
	named := []string{"AWS::Events::EventBus", "AWS::Events::Rule", "AWS::Logs::QueryDefinition", "AWS::SecretsManager::Secret", "AWS::SSM::Parameter", "AWS::CloudFront::Function"}
	var list []string
	for _, r := range w.resources {
		for property, value := range r.Properties {
			text := w.text(value)
			reference := strings.HasPrefix(text, "${") && !strings.Contains(text, "${AWS::")
			if !reference && (slices.Contains(inAccount, property) || property == "Name" && slices.Contains(named, r.Type)) {
				list = append(list, r.Type+" "+text)
			}
		}
	}
	for name := range w.exports {
		if name != "" { // an output without an export
			list = append(list, "export "+name)
		}
	}
	return list
}

// The local stack is a stage like the others and follows the same naming.
func TestNamesMatchBlueprint(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev")
	for _, q := range blueprint.New().Queues {
		require.Contains(t, physicalNames(w), "AWS::SQS::Queue "+w.deployment().Name(q.Name))
	}
}
