package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/runtime/config"
)

// The secrets of the local stack are fixed, so no other machine may reach it.
func TestOnlyLoopbackAddressesAreAccepted(t *testing.T) {
	t.Parallel()
	for _, variable := range []string{"API_ADDR", "AWS_ADDR"} {
		for address, accepted := range map[string]bool{
			"127.0.0.1:0": true, "127.8.0.1:8080": true, "[::1]:8080": true, "localhost:8080": true,
			":8080": false, "0.0.0.0:8080": false, "[::]:8080": false, "192.168.0.7:8080": false, "loadbay.example.org:80": false,
			"[::ffff:10.0.0.1]:80": false, "localhost.example.org:80": false,
		} {
			var s settings
			err := config.Load(&s, func(name string) (string, bool) { return address, name == variable })
			if accepted {
				require.NoError(t, err, address)
				continue
			}
			require.ErrorContains(t, err, variable+" is \""+address+"\"", address)
			require.ErrorContains(t, err, "SSH", address)
		}
	}
}
