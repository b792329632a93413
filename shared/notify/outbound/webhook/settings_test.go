package webhook_test

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/notify/outbound/webhook"
	"github.com/loadbay/loadbay/shared/runtime/config"
)

// The setting for tests must not be enabled by accident, as it would expose the functions'
// network to anyone who registers a webhook.
func TestLocalServersRequireLocalEndpoint(t *testing.T) {
	t.Parallel()
	for endpoint, allowed := range map[string]bool{
		"http://127.0.0.1:4566": true, "http://[::1]:4566": true,
		"": false, "https://sqs.us-east-1.amazonaws.com": false, "http://localhost.example:4566": false, "http://10.0.0.1:4566": false, "%zz": false,
	} {
		var s webhook.Settings
		err := config.Load(&s, func(name string) (string, bool) {
			v, ok := map[string]string{"WEBHOOKS_LOCAL": "true", "AWS_ENDPOINT_URL": endpoint}[name]
			return v, ok
		})
		if !allowed {
			require.ErrorContains(t, err, "WEBHOOKS_LOCAL is only for the local stack", endpoint)
			continue
		}
		require.NoError(t, err, endpoint)
		c := s.Config()
		require.True(t, c.Allows(netip.MustParseAddr("127.0.0.1")))
		require.False(t, c.Allows(netip.MustParseAddr("169.254.169.254")))
		require.NoError(t, c.Check("http://127.0.0.1:8000/"))
	}
	strict := (&webhook.Settings{}).Config()
	require.False(t, strict.Allows(netip.MustParseAddr("127.0.0.1")))
	require.Error(t, strict.Check("http://hooks.example/"))
	require.NoError(t, strict.Check("https://hooks.example/"))
}
