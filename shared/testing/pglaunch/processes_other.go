//go:build !linux

package pglaunch

import (
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// serverProcesses returns the postmaster of the pid file if it is running and is Postgres; other
// processes of the server cannot be found on this system.
func serverProcesses(_ string, postmaster int) []int {
	if postmaster == 0 {
		return nil
	}
	name, err := exec.Command("ps", "-o", "comm=", "-p", strconv.Itoa(postmaster)).Output()
	if err != nil || filepath.Base(strings.TrimSpace(string(name))) != "postgres" {
		return nil
	}
	return []int{postmaster}
}
