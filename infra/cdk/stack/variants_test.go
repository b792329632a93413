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

// The variants, of which every check that runs on each of them speaks, hold what
// they are meant to: each kind of database in each stage, each switch on and off.
func TestVariantsCoverContexts(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for name := range variants {
		s := synthesize(t, name).settings
		seen[fmt.Sprintf("%s of %s", s.Engine, s.Stage.Name)] = true
		for what, on := range map[string]bool{
			"nat": s.NATGateways > 0, "browsers": len(s.Origins) > 0, "email": s.AlarmEmail != "", "sam": s.SAM, "user pool": s.UserPool, "at once": s.AllAtOnce,
		} {
			seen[fmt.Sprintf("%s %t", what, on)] = true
		}
	}
	for _, engine := range []stack.Engine{stack.Instance, stack.Serverless} {
		for _, stage := range []string{"dev", "prod"} {
			require.Contains(t, seen, fmt.Sprintf("%s of %s", engine, stage))
		}
	}
	for _, what := range []string{"nat", "browsers", "email", "sam", "user pool", "at once"} {
		require.Contains(t, seen, what+" true")
		require.Contains(t, seen, what+" false")
	}
}

// Two stages can stand beside each other in one account and region: no name that
// CloudFormation is told is the same in both.
func TestStagesShareNoNames(t *testing.T) {
	t.Parallel()
	dev, prod := physicalNames(synthesize(t, "dev")), physicalNames(synthesize(t, "prod-instance"))
	require.Greater(t, len(dev), 80)
	shared := slices.DeleteFunc(dev, func(name string) bool { return !slices.Contains(prod, name) })
	require.Empty(t, shared)
}

// physicalNames are the physical names in a stage's templates, with the kind of what has
// them, and the names of their exports. Those that a template leaves out are made by
// CloudFormation, of the stack's name.
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
		if name != "" { // an output that is no export
			list = append(list, "export "+name)
		}
	}
	return list
}

// The local stack is a stage like the others, and named like them.
func TestNamesMatchBlueprint(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "dev")
	for _, q := range blueprint.New().Queues {
		require.Contains(t, physicalNames(w), "AWS::SQS::Queue "+w.deployment().Name(q.Name))
	}
}
