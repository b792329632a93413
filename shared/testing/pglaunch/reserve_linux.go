package pglaunch

import (
	"fmt"
	"os"
	"syscall"
)

// reservePort reserves a free port until the file is closed. The port is bound, so that the
// system assigns it to no other listener or connection. Nothing listens on it, so servers that
// set SO_REUSEADDR, as Postgres does, can use it one after the other.
func reservePort() (port int, held *os.File, err error) {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return 0, nil, fmt.Errorf("reserve a port: %w", err)
	}
	held = os.NewFile(uintptr(fd), "reserved port")
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	var at syscall.Sockaddr
	if err == nil {
		at, err = syscall.Getsockname(fd)
	}
	if err != nil {
		_ = held.Close()
		return 0, nil, fmt.Errorf("reserve a port: %w", err)
	}
	return at.(*syscall.SockaddrInet4).Port, held, nil
}
