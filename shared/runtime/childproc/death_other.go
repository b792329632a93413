//go:build !linux

package childproc

import "syscall"

func signalOnDeath(*syscall.SysProcAttr, syscall.Signal) {}
