package upgrade

import (
	"flag"
	"path/filepath"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sfn/types"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

var record = flag.String("record", "", "record a fixture with the binaries of this checkout of an earlier release")

// State that an earlier release has written can be used by the current one: imports that
// wait can be finished, imports that have ended can be undone and retried, and profiles
// apply. The outcome is the one that the earlier release had.
func TestUpgradeFromRelease(t *testing.T) {
	t.Parallel()
	root := stacktest.Root(t)
	if *record != "" {
		recordFixture(t, *record)
	}
	fixtures, err := filepath.Glob(filepath.Join("testdata", "*", manifestFile))
	require.NoError(t, err)
	require.NotEmpty(t, fixtures)
	for _, file := range fixtures {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			m := readJSON[manifest](t, file)
			d := newDeployment(t, root)
			restore(t, d.config.DataDir, readState(t, filepath.Join(dir, stateFile)), m, time.Since(m.RecordedAt))
			d.deploy(t, "")
			found := finish(t, openOrganisations(t, d.APIURL), m.Scenario)
			require.Equal(t, readJSON[outcome](t, filepath.Join(dir, expectedFile)), found)
			awaitExecutions(t, d.AWSURL, 0)
		})
	}
}

// awaitExecutions waits until only so many executions run, and requires that the others
// have succeeded.
func awaitExecutions(t *testing.T, awsURL string, running int) {
	t.Helper()
	client := sfn.NewFromConfig(stacktest.AWSConfig(awsURL))
	arn := blueprint.LocalDeployment().StateMachineARN(blueprint.New().StateMachine.Name)
	stacktest.Await(t, "executions have ended", func() bool {
		count := 0
		for pages := sfn.NewListExecutionsPaginator(client, &sfn.ListExecutionsInput{StateMachineArn: &arn}); pages.HasMorePages(); {
			page, err := pages.NextPage(t.Context())
			require.NoError(t, err)
			for _, x := range page.Executions {
				if x.Status == types.ExecutionStatusRunning {
					count++
					continue
				}
				require.Equal(t, types.ExecutionStatusSucceeded, x.Status, *x.Name)
			}
		}
		return count == running
	})
}
