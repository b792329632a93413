package outbound

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/dns/dnsmessage"

	"github.com/loadbay/loadbay/shared/problem"
)

// nameServer is a local name server that knows the names of a private network and of a public
// one. It does not answer for deaf.example.
func nameServer(t *testing.T) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		for buffer := make([]byte, 1500); ; {
			n, from, err := conn.ReadFrom(buffer)
			if err != nil {
				return
			}
			if reply := dnsAnswer(buffer[:n]); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func dnsAnswer(query []byte) []byte {
	var m dnsmessage.Message
	if m.Unpack(query) != nil || len(m.Questions) != 1 {
		return nil
	}
	q := m.Questions[0]
	address, known := map[string]string{
		"db.internal.": "10.1.2.3", "metadata.internal.": "169.254.169.254", "closed.example.": "127.0.0.9",
	}[q.Name.String()]
	m.Response, m.Additionals = true, nil
	switch {
	case q.Name.String() == "deaf.example.":
		return nil
	case q.Name.String() == "broken.internal.":
		m.RCode = dnsmessage.RCodeServerFailure
	case !known:
		m.RCode = dnsmessage.RCodeNameError
	case q.Type == dnsmessage.TypeA:
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60},
			Body:   &dnsmessage.AResource{A: netip.MustParseAddr(address).As4()},
		}}
	}
	reply, err := m.Pack()
	if err != nil {
		return nil
	}
	return reply
}

// A caller who names hosts of the private network cannot tell from the error or its timing
// which of them exist.
func TestDialHidesPrivateHostnames(t *testing.T) {
	t.Parallel()
	const silence = 500 * time.Millisecond
	public := netip.MustParseAddr("127.0.0.9")
	d := dialer{allows: func(a netip.Addr) bool { return a == public }, connectTimeout: time.Minute, resolver: nameServer(t), refusalDelay: silence}
	for _, host := range []string{"db.internal", "metadata.internal", "none.internal", "broken.internal", "deaf.example", "10.9.9.9"} {
		t.Run(host, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			_, err := d.dial(t.Context(), "tcp", net.JoinHostPort(host, "443"))
			require.Equal(t, rejectHost(), err)
			require.GreaterOrEqual(t, time.Since(began), silence)
		})
	}
	_, err := d.dial(t.Context(), "tcp", "closed.example:1")
	require.ErrorContains(t, err, "connection refused", "the error of a public server is not hidden")
	require.NotEqual(t, problem.URLForbidden, problem.CodeOf(err))
}

func TestDialReturnsOnCancel(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := dialer{allows: Public, connectTimeout: time.Minute, resolver: nameServer(t), refusalDelay: time.Hour}
	_, err := d.dial(ctx, "tcp", "none.internal:443")
	require.Equal(t, rejectHost(), err)
}
