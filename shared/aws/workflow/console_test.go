package workflow_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/aws/workflow"
)

func TestConsoleHostFollowsPartition(t *testing.T) {
	t.Parallel()
	c, ok := workflow.NewConsole("arn:aws:states:eu-central-1:123456789012:stateMachine:loadbay-import-prod")
	require.True(t, ok)
	require.Equal(t, "https://eu-central-1.console.aws.amazon.com/states/home?region=eu-central-1#/v2/executions/details/arn:aws:states:eu-central-1:123456789012:execution:loadbay-import-prod:0a", c.Execution("0a"))
	require.Equal(t, "https://eu-central-1.console.aws.amazon.com/states/home?region=eu-central-1#/statemachines/view/arn:aws:states:eu-central-1:123456789012:stateMachine:loadbay-import-prod", c.Executions())
	require.Equal(t, "https://eu-central-1.console.aws.amazon.com/cloudwatch/home?region=eu-central-1#dashboards/dashboard/loadbay-prod", c.Dashboard())
	c, ok = workflow.NewConsole("arn:aws-cn:states:cn-north-1:123456789012:stateMachine:loadbay-import-dev")
	require.True(t, ok)
	require.Contains(t, c.Dashboard(), "https://cn-north-1.console.amazonaws.cn/")
	for _, arn := range []string{"", "arn:aws-iso:states:us-iso-east-1:123456789012:stateMachine:a-b"} {
		_, ok = workflow.NewConsole(arn)
		require.False(t, ok, arn)
	}
}
