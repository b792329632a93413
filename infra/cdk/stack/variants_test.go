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

// Two stages can coexist in one account and region: they share no explicit resource name.
func TestStagesShareNoNames(t *testing.T) {
	t.Parallel()
	dev, prod := physicalNames(synthesize(t, "dev")), physicalNames(synthesize(t, "prod-instance"))
	require.Greater(t, len(dev), 80)
	shared := slices.DeleteFunc(dev, func(name string) bool { return !slices.Contains(prod, name) })
	require.Empty(t, shared)
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
