package pglaunch

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// serverProcesses lists the processes that work in dataDir: every process of
// a server has it as its working directory, and nothing else is likely to.
func serverProcesses(dataDir string, _ int) []int {
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil
	}
	var pids []int
	for _, link := range links {
		cwd, err := os.Readlink(link)
		if err != nil || cwd != dataDir {
			continue // ended meanwhile, another user's, or elsewhere
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err == nil && program(pid) == "postgres" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// program is the name of a process's program; "" where it has ended. The kernel keeps that
// until the process is gone, while its link to the program goes before its share in the
// server's shared memory does: a new server would find that in use.
func program(pid int) string {
	name, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(name))
}
