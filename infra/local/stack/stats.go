package stack

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/loadbay/loadbay/infra/blueprint"
	"github.com/loadbay/loadbay/infra/local/lambdahost"
)

// Stats is the resource usage of the stack since its start.
type Stats struct {
	Functions map[string]lambdahost.Stats `json:"functions"`
	// Processes is the peak memory, in bytes, of one process of each other kind:
	// "stack", "s3" and "postgres", whose processes share most of their memory.
	Processes map[string]int64 `json:"peakMemoryBytes"`
	// CPU is the processor time of the other processes, by the same kinds.
	CPU map[string]time.Duration `json:"cpuNanoseconds"`
	// Schedules are the schedules that the stack runs.
	Schedules []blueprint.Schedule `json:"schedules"`
}

// Stats collects the current statistics.
func (s *Stack) Stats() Stats {
	peaks, cpu := usage(s.database.server.PID(), s.config.S3Command)
	return Stats{Functions: s.Functions.Stats(), Processes: peaks, CPU: cpu, Schedules: s.config.Blueprint.Schedules}
}

// writeMetrics writes the host's statistics and the functions' own metrics.
func (s *Stack) writeMetrics(w http.ResponseWriter, _ *http.Request) {
	figures := s.Stats()
	var text bytes.Buffer
	write := func(name, kind string, value func(lambdahost.Stats) float64) {
		fmt.Fprintf(&text, "# TYPE loadbay_function_%s %s\n", name, kind)
		for _, function := range slices.Sorted(maps.Keys(figures.Functions)) {
			fmt.Fprintf(&text, "loadbay_function_%s{function=%q} %v\n", name, function, value(figures.Functions[function]))
		}
	}
	write("invocations_total", "counter", func(f lambdahost.Stats) float64 { return float64(f.Invocations) })
	write("throttles_total", "counter", func(f lambdahost.Stats) float64 { return float64(f.Throttles) })
	write("cold_starts_total", "counter", func(f lambdahost.Stats) float64 { return float64(f.ColdStarts) })
	write("duration_seconds_total", "counter", func(f lambdahost.Stats) float64 { return f.Duration.Seconds() })
	write("peak_memory_bytes", "gauge", func(f lambdahost.Stats) float64 { return float64(f.PeakMemory) })
	write("processes", "gauge", func(f lambdahost.Stats) float64 { return float64(f.Processes) })
	for _, kind := range []string{"error", "timeout", "crash", "init"} {
		write(kind+"_failures_total", "counter", func(f lambdahost.Stats) float64 { return float64(f.Failures[kind]) })
	}
	fmt.Fprintln(&text, "# TYPE loadbay_process_peak_memory_bytes gauge")
	for _, kind := range slices.Sorted(maps.Keys(figures.Processes)) {
		fmt.Fprintf(&text, "loadbay_process_peak_memory_bytes{kind=%q} %d\n", kind, figures.Processes[kind])
	}
	if err := s.metrics.WriteMetrics(&text); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = text.WriteTo(w) // the client has disconnected
}
