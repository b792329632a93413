package lambdahost

import (
	"maps"
	"sync"
	"time"

	"github.com/loadbay/loadbay/infra/local/proctime"
)

// Stats counts one function's invocations since the host started.
type Stats struct {
	Invocations int `json:"invocations"`
	// Failures by kind: "error" returned by the function, "timeout", "crash", "init".
	Failures   map[string]int `json:"failures"`
	Throttles  int            `json:"throttles"`
	ColdStarts int            `json:"coldStarts"`
	// Duration is the total time of all invocations, including the wait for a process to start.
	Duration time.Duration `json:"durationNanoseconds"`
	// PeakMemory is the highest memory usage of any one process of the function, in bytes.
	PeakMemory int64 `json:"peakMemoryBytes"`
	// CPU is the total processor time of all processes of the function.
	CPU time.Duration `json:"cpuNanoseconds"`
	// Processes is the current number of processes; Busy is the number of busy ones.
	Processes int `json:"processes"`
	Busy      int `json:"busy"`
}

// statsCollector collects Stats.
type statsCollector struct {
	mu sync.Mutex
	Stats
}

func (f *statsCollector) count(inv *invocation) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Invocations++
	f.Duration += time.Since(inv.startedAt)
	if kind := inv.outcome.kind; kind != "" {
		if f.Failures == nil {
			f.Failures = map[string]int{}
		}
		f.Failures[kind]++
	}
}

func (f *statsCollector) countThrottle() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.Throttles++
}

func (f *statsCollector) countColdStart() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ColdStarts++
}

// recordPeak updates the peak and returns the previous one.
func (f *statsCollector) recordPeak(bytes int64) (before int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	before = f.PeakMemory
	f.PeakMemory = max(before, bytes)
	return before
}

// addCPU adds the processor time of a process that has ended.
func (f *statsCollector) addCPU(cpu time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.CPU += cpu
}

// Stats returns the statistics of each function, by name.
func (h *Host) Stats() map[string]Stats {
	processes, cpu := map[string]int{}, map[string]time.Duration{}
	for _, i := range h.instances.all() {
		i.memory.sample()
		i.pool.stats.recordPeak(i.memory.peak())
		processes[i.pool.function.Name]++
		own, _ := proctime.CPUTime(i.process.PID())
		cpu[i.pool.function.Name] += own
	}
	all := make(map[string]Stats, len(h.pools))
	for name, p := range h.pools {
		p.stats.mu.Lock()
		f := p.stats.Stats
		f.Failures = maps.Clone(f.Failures)
		p.stats.mu.Unlock()
		f.Processes, f.Busy = processes[name], len(p.slots)
		f.CPU += cpu[name]
		all[name] = f
	}
	return all
}
