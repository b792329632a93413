package stack

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loadbay/loadbay/infra/local/proctime"
)

// usage returns, by kind of process, the peak memory of a running process and the processor
// time of all processes: this one, the object store's child, and the server's processes,
// including those that have ended.
func usage(postmaster int, s3Command []string) (peaks map[string]int64, cpu map[string]time.Duration) {
	for range readings {
		_, ended := proctime.CPUTime(postmaster)
		peaks, cpu = running(postmaster, s3Command)
		cpu["postgres"] += ended
		if _, now := proctime.CPUTime(postmaster); now == ended {
			break
		}
	}
	return peaks, cpu
}

// readings limits how often usage repeats a reading because a process of the server ended
// in the meantime: such a process may be missing from both the running and the ended ones.
const readings = 10

// running is usage without the processes that have ended.
func running(postmaster int, s3Command []string) (peaks map[string]int64, cpu map[string]time.Duration) {
	peaks, cpu = map[string]int64{}, map[string]time.Duration{}
	files, err := filepath.Glob("/proc/[0-9]*/status")
	if err != nil {
		return peaks, cpu
	}
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err != nil {
			continue // ended in the meantime
		}
		pid, parent := number(status, "\nPid:"), number(status, "\nPPid:")
		var kind string
		switch {
		case pid == int64(os.Getpid()):
			kind = "stack"
		case postmaster != 0 && (pid == int64(postmaster) || parent == int64(postmaster)):
			kind = "postgres"
		case parent == int64(os.Getpid()) && runs(filepath.Dir(file), s3Command):
			kind = "s3"
		default:
			continue
		}
		peaks[kind] = max(peaks[kind], number(status, "\nVmHWM:")<<10)
		own, _ := proctime.CPUTime(int(pid))
		cpu[kind] += own
	}
	return peaks, cpu
}

// number reads a number from /proc/<pid>/status; 0 if it is missing.
func number(status []byte, name string) int64 {
	_, after, _ := bytes.Cut(status, []byte(name))
	line, _, _ := bytes.Cut(after, []byte("\n"))
	var n int64
	if _, err := fmt.Sscan(string(line), &n); err != nil {
		return 0
	}
	return n
}

// runs reports whether the process was started with that command.
func runs(process string, command []string) bool {
	text, err := os.ReadFile(filepath.Join(process, "cmdline"))
	return err == nil && strings.HasPrefix(string(text), strings.Join(command, "\x00")+"\x00")
}
