package lambdahost

import (
	"maps"
	"sync"
	"time"

	"github.com/loadbay/loadbay/infra/local/proctime"
)

// Stats count one function's invocations since the host started.
type Stats struct {
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

// statsCollector collects Figures.
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

// recordPeak returns the peak before.
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

// Stats returns each function's, by its name.
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
