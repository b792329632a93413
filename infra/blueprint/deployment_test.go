package blueprint_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// ForDeployment adds the stage to every queue name, and does not change the blueprint itself.
func TestDeploymentNamesEndInStage(t *testing.T) {
	t.Parallel()
	b, place := blueprint.New(), blueprint.LocalDeployment()
	at := b.ForDeployment(place)
	require.Equal(t, blueprint.New(), b)
	names := map[string]bool{}
	for _, q := range at.Queues {
		names[q.Name] = true
	}
	for _, q := range b.Queues {
		require.True(t, names[place.Name(q.Name)])
	}
	for _, q := range at.Queues {
		require.True(t, q.DeadLetter == "" || names[q.DeadLetter], q.DeadLetter)
	}
	for _, f := range at.Functions {
		for _, e := range f.Env {
			require.True(t, e.Ref != blueprint.QueueURL || names[e.RefName], "%s %s", f.Name, e.RefName)
		}
		for _, g := range f.Grants {
			require.True(t, g.Resource != blueprint.OnQueue || names[g.ResourceName], "%s %s", f.Name, g.ResourceName)
		}
	}
	require.NoError(t, at.Validate())
	require.Equal(t, "loadbay-files-local-000000000000-us-east-1", at.Bucket.Name)
}

// A literal name in a variable would belong to no stage.
func TestVariablesReferToResources(t *testing.T) {
	t.Parallel()
	b := blueprint.New()
	for _, f := range b.Functions {
		for _, e := range f.Env {
			require.False(t, e.Ref == "" && strings.Contains(e.Value, "loadbay"), "variable %s of %s is a literal: %q", e.Name, f.Name, e.Value)
		}
	}
}
