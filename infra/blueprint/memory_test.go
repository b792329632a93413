package blueprint_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/infra/blueprint"
)

// Lambda would terminate a function that rarely collects garbage if its runtime did not know the
// memory limit.
func TestFunctionsHaveMemoryLimit(t *testing.T) {
	t.Parallel()
	limits := map[int]string{128: "115MiB", 256: "230MiB", 512: "460MiB", 1024: "921MiB", 2048: "1843MiB"}
	for _, f := range blueprint.New().Functions {
		require.Contains(t, f.Env, blueprint.Env{Name: "GOMEMLIMIT", Value: limits[f.Memory]}, f.Name)
	}
	process, _ := blueprint.New().Function("process")
	require.Contains(t, process.Env, blueprint.Env{Name: "GOGC", Value: "400"})
}
