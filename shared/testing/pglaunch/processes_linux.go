package pglaunch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// serverProcesses lists the processes that work in dataDir. Every process of a server has it as
// its working directory, and other processes are unlikely to.
func serverProcesses(dataDir string, _ int) []int {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil
	}
	var pids []int
	for _, link := range links {
		cwd, err := os.Readlink(link)
		if err != nil || cwd != dataDir {
			continue // ended in the meantime, of another user, or in another directory
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err == nil && program(pid) == "postgres" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// program returns the name of a process's program; "" if it has ended. The kernel keeps the name
// until the process has gone completely. The link to the program disappears earlier than the
// process's share in the server's shared memory, which a new server would still find in use.
func program(pid int) string {
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
