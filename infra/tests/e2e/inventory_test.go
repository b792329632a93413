package e2e

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"testing"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/sfn"
	"github.com/aws/aws-sdk-go-v2/service/sqs"
	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/statemachine"
	"github.com/loadbay/loadbay/infra/tests/stacktest"
)

// TestStackMatchesBlueprint compares the resources of the running stack with the blueprint.
// infra/cdk compares the templates with the same blueprint, so that neither has a function,
// schedule, queue, table, bucket or state that the other lacks.
func TestStackMatchesBlueprint(t *testing.T) {
	t.Parallel()
	ctx, r := runGroup(t)
	c := r.AWSConfig()
	want := stacktest.Blueprint()

	var figures struct {
		Functions map[string]json.RawMessage
		Schedules []blueprint.Schedule
	}
	require.NoError(t, r.Get(ctx, "/local/figures", &figures))
	var functions, queues []string
	for _, f := range want.Functions {
		functions = append(functions, f.Name)
	}
	require.ElementsMatch(t, functions, slices.Collect(maps.Keys(figures.Functions)))

	require.ElementsMatch(t, want.Schedules, figures.Schedules)

	for _, q := range want.Queues {
		queues = append(queues, q.Name)
	}
	listed, err := sqs.NewFromConfig(c).ListQueues(ctx, &sqs.ListQueuesInput{})
	require.NoError(t, err)
	var running []string
	for _, url := range listed.QueueUrls {
		running = append(running, path.Base(url))
	}
	require.ElementsMatch(t, queues, running)

	tables, err := dynamodb.NewFromConfig(c).ListTables(ctx, &dynamodb.ListTablesInput{})
	require.NoError(t, err)
	require.Equal(t, []string{want.Table.Name}, tables.TableNames)

	buckets, err := s3.NewFromConfig(c).ListBuckets(ctx, &s3.ListBucketsInput{})
	require.NoError(t, err)
	require.Len(t, buckets.Buckets, 1)
	require.Equal(t, want.Bucket.Name, *buckets.Buckets[0].Name)

	states := sfn.NewFromConfig(c)
	machines, err := states.ListStateMachines(ctx, &sfn.ListStateMachinesInput{})
	require.NoError(t, err)
	require.Len(t, machines.StateMachines, 1)
	require.Equal(t, want.StateMachine.Name, *machines.StateMachines[0].Name)
	machine, err := states.DescribeStateMachine(ctx, &sfn.DescribeStateMachineInput{StateMachineArn: machines.StateMachines[0].StateMachineArn})
	require.NoError(t, err)
	require.Equal(t, stateTypes(t, statemachine.Import), stateTypes(t, *machine.Definition))
}

// stateTypes returns the types of a definition's states by name.
func stateTypes(t *testing.T, definition string) map[string]string {
	t.Helper()
	var parsed struct {
		States map[string]struct{ Type string }
	}
	require.NoError(t, json.Unmarshal([]byte(definition), &parsed))
	types := map[string]string{}
	for name, state := range parsed.States {
		types[name] = state.Type
	}
	return types
}
