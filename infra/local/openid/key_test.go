package openid_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"encoding/base64"
	"testing"

	"github.com/stretchr/testify/require"
)

// publicKey parses a P-256 JSON Web Key.
func publicKey(t *testing.T, key map[string]string) *ecdsa.PublicKey {
	t.Helper()
	require.Equal(t, "P-256", key["crv"])
	point := []byte{4}
	for _, half := range []string{"x", "y"} {
		bytes, err := base64.RawURLEncoding.DecodeString(key[half])
		require.NoError(t, err)
		point = append(point, bytes...)
	}
	parsed, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
	require.NoError(t, err)
	return parsed
}
