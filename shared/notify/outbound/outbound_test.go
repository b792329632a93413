package outbound_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/notify/outbound"
	"github.com/loadbay/loadbay/shared/problem"
)

func TestPublic(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"93.184.216.34": true, "8.8.8.8": true, "2606:4700::1111": true, "::ffff:8.8.8.8": true, "64:ff9b::808:808": true,
		"127.0.0.1": false, "127.9.9.9": false, "0.0.0.0": false, "10.1.2.3": false, "172.16.0.1": false, "172.31.255.255": false,
		"192.168.1.1": false, "169.254.169.254": false, "169.254.170.2": false, "100.64.0.1": false, "192.0.2.1": false, "198.18.0.1": false,
		"224.0.0.1": false, "240.0.0.1": false, "255.255.255.255": false,
		"::": false, "::1": false, "::ffff:127.0.0.1": false, "::ffff:10.0.0.1": false, "fe80::1": false, "fe80::1%eth0": false, "fc00::1": false,
		"fd00:ec2::254": false, "ff02::1": false, "64:ff9b::7f00:1": false, "2002:7f00:1::": false, "2002:808:808::1": false, "64:ff9b:1::808:808": false, "2606:4700::1111%eth0": false, "3fff::1": false, "2001:db8::1": false, "2001::1": false, "::127.0.0.1": false,
	} {
		require.Equal(t, want, outbound.Public(netip.MustParseAddr(address)), address)
	}
	require.False(t, outbound.Public(netip.Addr{}), "the zero address is not public")
}

func TestPolicyParse(t *testing.T) {
	t.Parallel()
	for address, code := range map[string]problem.Code{
		"https://hooks.example/loadbay?token=1": "",
		"https://93.184.216.34:443/":            "",
		"https://hooks.example:80/":             "",
		"https://hooks.example:/":               "",
		"https://93.184.216.34:8443/":           problem.URLForbidden,
		"https://hooks.example:22/":             problem.URLForbidden,
		"https://hooks.example:0443/":           problem.URLForbidden,
		"https://hooks.example:0/":              problem.URLForbidden,
		"http://hooks.example/":                 problem.URLScheme,
		"ftp://hooks.example/":                  problem.URLScheme,
		"hooks.example":                         problem.URLScheme,
		"https://":                              problem.URLForbidden,
		"https://user:password@hooks.example/":  problem.URLForbidden,
		"https://127.0.0.1/":                    problem.URLForbidden,
		"https://[::1]/":                        problem.URLForbidden,
		"https://169.254.169.254/latest/":       problem.URLForbidden,
		"https://hooks.example/%zz":             problem.URLForbidden,
		"https://2130706433/":                   problem.URLForbidden,
		"https://0x7f000001/":                   problem.URLForbidden,
		"https://0X7F.1/":                       problem.URLForbidden,
		"https://0x/":                           problem.URLForbidden,
		"https://0177.0.0.1/":                   problem.URLForbidden,
		"https://127.1/":                        problem.URLForbidden,
		"https://127.0.0.1./":                   problem.URLForbidden,
		"https://93.184.216.34./":               problem.URLForbidden,
		"https://1.example/":                    "",
		"https://0xface.example./":              "",
	} {
		_, err := outbound.Policy{Allows: outbound.Public, Schemes: []string{"https"}}.Parse(address)
		require.Equal(t, code, problem.CodeOf(err), address)
	}
}

// The address of a name is known only when the connection is opened.
func TestTransportRefusesForbiddenAddresses(t *testing.T) {
	t.Parallel()
	reached := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	t.Cleanup(server.Close)
	refusing := &http.Client{Transport: outbound.NewTransport(outbound.Public, time.Minute)}
	_, err := refusing.Get(server.URL)
	require.Equal(t, problem.URLForbidden, problem.CodeOf(err), "%v", err)
	require.Zero(t, reached)
	permitting := &http.Client{Transport: outbound.NewTransport(netip.Addr.IsLoopback, time.Minute)}
	resp, err := permitting.Get(server.URL)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 1, reached)
}
