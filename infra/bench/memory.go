package bench

import (
	"fmt"
	"maps"
	"slices"
)

// printMemory prints the highest memory use of a process of each kind so far.
func (b *bench) printMemory() {
	figures := b.stack.Stats()
	fmt.Fprintln(b.out, "\npeak memory of one process")
	for _, name := range slices.Sorted(maps.Keys(figures.Functions)) {
		if f := figures.Functions[name]; f.Invocations > 0 {
			fmt.Fprintf(b.out, "  %-12s %6.0f MiB   (%d invocations, %.2f s)\n", name, float64(f.PeakMemory)/(1<<20), f.Invocations, f.Duration.Seconds())
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(figures.Processes)) {
		fmt.Fprintf(b.out, "  %-12s %6.0f MiB\n", kind, float64(figures.Processes[kind])/(1<<20))
	}
	fmt.Fprintln(b.out)
}
