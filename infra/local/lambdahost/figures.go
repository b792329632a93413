package lambdahost

import (
	"maps"
	"sync"
	"time"

	"github.com/loadbay/loadbay/infra/local/proctime"
)

// Figures count one function's invocations since the host started.
type Figures struct {
	Invocations int `json:"invocations"`
	// Failures by kind: "error" that the function returned, "timeout", "crash", "init".
	Failures   map[string]int `json:"failures"`
	Throttles  int            `json:"throttles"`
	ColdStarts int            `json:"coldStarts"`
	// Duration is the sum of all invocations' times, with waiting for a process to start.
	Duration time.Duration `json:"durationNanoseconds"`
	// PeakMemory is the most that one process of the function has had in memory, in bytes.
	PeakMemory int64 `json:"peakMemoryBytes"`
	// CPU is the processor time that all processes of the function have used.
	CPU time.Duration `json:"cpuNanoseconds"`
	// Processes that exist now, and Busy ones among them.
	Processes int `json:"processes"`
	Busy      int `json:"busy"`
}

// figures collects Figures.
type figures struct {
	mu sync.Mutex
	Figures
}

func (f *figures) count(inv *invocation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Invocations++
	f.Duration += time.Since(inv.begun)
	if kind := inv.outcome.kind; kind != "" {
		if f.Failures == nil {
			f.Failures = map[string]int{}
		}
		f.Failures[kind]++
	}
}

func (f *figures) throttle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Throttles++
}

func (f *figures) coldStart() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ColdStarts++
}

// peak returns the peak before.
func (f *figures) peak(bytes int64) (before int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before = f.PeakMemory
	f.PeakMemory = max(before, bytes)
	return before
}

// used adds the processor time of a process that has ended.
func (f *figures) used(cpu time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.CPU += cpu
}

// Figures returns each function's, by its name.
func (h *Host) Figures() map[string]Figures {
	processes, cpu := map[string]int{}, map[string]time.Duration{}
	for _, i := range h.instances.all() {
		i.memory.sample()
		i.pool.figures.peak(i.memory.peak())
		processes[i.pool.function.Name]++
		own, _ := proctime.Of(i.process.PID())
		cpu[i.pool.function.Name] += own
	}
	all := make(map[string]Figures, len(h.pools))
	for name, p := range h.pools {
		p.figures.mu.Lock()
		f := p.figures.Figures
		f.Failures = maps.Clone(f.Failures)
		p.figures.mu.Unlock()
		f.Processes, f.Busy = processes[name], len(p.slots)
		f.CPU += cpu[name]
		all[name] = f
	}
	return all
}
