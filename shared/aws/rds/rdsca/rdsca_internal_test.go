package rdsca

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRootsAreAmazonAndUnexpired(t *testing.T) {
	t.Parallel()
	authorities, err := parse(bundle)
	require.NoError(t, err)
	names := map[string]bool{}
	for _, a := range authorities {
		names[a.Subject.CommonName] = true
		require.True(t, a.IsCA, a.Subject)
		require.NoError(t, a.CheckSignatureFrom(a), "%s is self-signed", a.Subject)
		require.Contains(t, []string{"Amazon Web Services, Inc.", "Amazon", "Starfield Technologies, Inc."}, a.Subject.Organization[0])
		require.True(t, a.NotAfter.After(time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC)), "%s expires on %s", a.Subject, a.NotAfter)
	}
	require.Len(t, names, len(authorities), "no duplicate certificates")
	for _, want := range []string{
		"Amazon RDS us-east-1 Root CA RSA2048 G1", "Amazon RDS eu-central-1 Root CA RSA2048 G1", "Amazon RDS ap-southeast-2 Root CA RSA2048 G1",
		"Amazon Root CA 1", "Amazon Root CA 4", "Starfield Services Root Certificate Authority - G2",
	} {
		require.Contains(t, names, want)
	}
	pool, err := Roots()
	require.NoError(t, err)
	require.False(t, pool.Equal(nil))
}

func TestCoversRegions(t *testing.T) {
	t.Parallel()
	for region, want := range map[string]bool{"eu-central-1": true, "il-central-1": true, "eu-central": false, "": false, "moon-north-1": false} {
		got, err := Covers(region)
		require.NoError(t, err)
		require.Equal(t, want, got, region)
	}
}

func TestInvalidRootsFail(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":              "no certificates",
		"# a comment\n": "no certificates",
		"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n": "parse RDS certificate authorities: x509",
	} {
		_, err := parse([]byte(text))
		require.ErrorContains(t, err, want)
	}
}
