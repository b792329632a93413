package pglaunch

import (
	"fmt"
	"net"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A reserved port is not assigned to a connection or to a listener that lets the system choose,
// since these do not set SO_REUSEADDR. Servers can use it, one after the other.
func TestReservedPortIsUsableByServerOnly(t *testing.T) {
	t.Parallel()
	port, held, err := reservePort()
	require.NoError(t, err)
	defer held.Close()

	stranger, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	require.NoError(t, err)
	defer syscall.Close(stranger)
	require.ErrorIs(t, syscall.Bind(stranger, &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}), syscall.EADDRINUSE)
	for range 2 {
		server, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)) // sets SO_REUSEADDR
		require.NoError(t, err)
		require.NoError(t, server.Close())
	}
}
