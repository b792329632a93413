//go:build !linux

package lambdahost

import (
	"syscall"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// highWater returns bytes. On the BSDs the value is available after the process has ended.
func highWater(p *childproc.Process) int64 {
	state := p.State()
	if state == nil {
		return 0
	}
	usage, ok := state.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	return usage.Maxrss
}
