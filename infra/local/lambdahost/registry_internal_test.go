package lambdahost

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInstanceIDsAreRandom(t *testing.T) {
	t.Parallel()
	var one, other registry
	require.NotEqual(t, one.newID(), other.newID(), "two registries start with different ids")
	require.GreaterOrEqual(t, len(one.newID()), 26)
}
