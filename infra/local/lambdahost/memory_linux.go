package lambdahost

import (
	"bytes"
	"fmt"
	"os"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// highWater reads VmHWM, in bytes; 0 for a process that has ended. The value that wait4
// reports for an ended process is not used: ru_maxrss starts with the memory of the
// process from which it was forked, which here is the whole local stack.
func highWater(p *childproc.Process) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.PID()))
	if err != nil {
		return 0
	}
	_, after, found := bytes.Cut(status, []byte("VmHWM:"))
	if !found {
		return 0
	}
	var kib int64
	if _, err := fmt.Sscan(string(after[:min(len(after), 40)]), &kib); err != nil {
		return 0
	}
	return kib << 10
}
