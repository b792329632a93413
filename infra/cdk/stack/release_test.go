package stack_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A new release of api gets a tenth of the requests for ten minutes, and is rolled back if the
// 5xx alarm triggers: requests reach it through the alias that CodeDeploy moves.
func TestAPIReleaseIsGradual(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod-instance")
	alias, live := w.single(t, "AWS::Lambda::Alias", "", "")
	require.Equal(t, "api", w.functionName("${"+alias+"}"))
	group, release := w.single(t, "AWS::CodeDeploy::DeploymentGroup", "", "")
	update := live.UpdatePolicy["CodeDeployLambdaAliasUpdate"]
	require.Equal(t, "${"+group+"}", w.text(nested(t, update, "DeploymentGroupName")))
	require.Equal(t, "CodeDeployDefault.LambdaCanary10Percent10Minutes", release.Properties["DeploymentConfigName"])
	alarm, _ := w.single(t, "AWS::CloudWatch::Alarm", "AlarmName", "loadbay-api-5xx-prod")
	require.Equal(t, "${"+alarm+"}", w.text(nested(t, release.Properties, "AlarmConfiguration", "Alarms", 0, "Name")))
	require.Contains(t, nested(t, release.Properties, "AutoRollbackConfiguration", "Events"), "DEPLOYMENT_STOP_ON_ALARM")

	reached := 0
	for _, i := range w.ofType("AWS::ApiGatewayV2::Integration") {
		if w.functionName(w.text(i.Properties["IntegrationUri"])) == "api" {
			require.Equal(t, "${"+alias+"}", w.text(i.Properties["IntegrationUri"]))
			reached++
		}
	}
	require.Positive(t, reached)
}

// A release that fixes the cause of an alarm must not wait for the alarm.
func TestReleaseAllAtOnce(t *testing.T) {
	t.Parallel()
	_, release := synthesize(t, "prod").single(t, "AWS::CodeDeploy::DeploymentGroup", "", "")
	require.Equal(t, "CodeDeployDefault.LambdaAllAtOnce", release.Properties["DeploymentConfigName"])
	require.Equal(t, false, nested(t, release.Properties, "AlarmConfiguration", "Enabled"))
}

// dev has no versions: it is for experiments.
func TestDevReleaseHasNoAlias(t *testing.T) {
	t.Parallel()
	require.Empty(t, synthesize(t, "dev").ofType("AWS::Lambda::Alias"))
}

// The API has instances of its own, independent of the number of concurrent files.
func TestAPIReservesConcurrency(t *testing.T) {
	t.Parallel()
	w := synthesize(t, "prod-instance")
	_, api := w.function(t, "api")
	require.InDelta(t, 100, api.Properties["ReservedConcurrentExecutions"], 0)
	reserved := 0
	for _, f := range w.ofType("AWS::Lambda::Function") {
		reserved += intValue(f.Properties["ReservedConcurrentExecutions"])
	}
	require.LessOrEqual(t, reserved, 900, "at most 900 of the account's 1,000, as 100 cannot be reserved")
}
