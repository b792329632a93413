package lambdahost

import (
	"sync/atomic"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// memoryMeter knows the most memory that a process has had.
type memoryMeter struct {
	process *childproc.Process
	highest atomic.Int64 // bytes
}

func newMemoryMeter(p *childproc.Process) *memoryMeter {
	return &memoryMeter{process: p}
}

// sample asks the system for the mark that it keeps while the process lives.
func (m *memoryMeter) sample() {
	seen := highWater(m.process)
	for {
		known := m.highest.Load()
		if seen <= known || m.highest.CompareAndSwap(known, seen) {
			return
		}
	}
}

// peak is in bytes; 0 when it could never be read.
func (m *memoryMeter) peak() int64 { return m.highest.Load() }
