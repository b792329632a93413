package lambdahost

import (
	"sync/atomic"

	"github.com/loadbay/loadbay/shared/runtime/childproc"
)

// memoryMeter records the peak memory of a process.
type memoryMeter struct {
	process *childproc.Process
	highest atomic.Int64 // bytes
}

func newMemoryMeter(p *childproc.Process) *memoryMeter {
	return &memoryMeter{process: p}
}

// sample reads the peak that the operating system reports while the process lives.
func (m *memoryMeter) sample() {
	seen := highWater(m.process)
	for {
		known := m.highest.Load()
		if seen <= known || m.highest.CompareAndSwap(known, seen) {
			return
		}
	}
}

// peak returns bytes, or 0 if the value could never be read.
func (m *memoryMeter) peak() int64 { return m.highest.Load() }
