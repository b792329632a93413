//go:build !linux

package lambdahost

import (
	"syscall"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// highWater is known on the BSDs when the process has ended; in bytes.
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
