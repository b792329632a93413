package tenant_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job/tenant"
)

func TestParseRoundTrip(t *testing.T) {
	t.Parallel()
	for _, id := range []tenant.ID{1, 42, 9223372036854775807} {
		parsed, err := tenant.Parse(id.String())
		require.NoError(t, err)
		require.Equal(t, id, parsed)
	}
}

func TestParseRejectsInvalidIDs(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "0", "-1", "+1", "01", " 1", "1 ", "1.0", "1e3", "9223372036854775808", "one", "١"} {
		id, err := tenant.Parse(text)
		require.Error(t, err, text)
		require.Zero(t, id, text)
	}
}
