//go:build !linux

package pglaunch

import (
	"fmt"
	"net"
	"os"
)

// reservePort finds a free port. On other systems a server cannot listen on a bound port, so it
// is not reserved here.
func reservePort() (port int, held *os.File, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, nil, fmt.Errorf("find a free port: %w", err)
	}
	port = l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		return 0, nil, fmt.Errorf("find a free port: %w", err)
	}
	return port, nil, nil
}
