package blueprint

import "strconv"

// withMemoryLimits sets each function's memory limit for the Go runtime, so that it collects
// garbage before Lambda terminates the process. The remaining memory is for allocations that
// the runtime does not count.
func withMemoryLimits(functions []Function) []Function {
	for i := range functions {
		f := &functions[i]
		f.Env = append(f.Env, Env{Name: "GOMEMLIMIT", Value: strconv.Itoa(f.Memory*9/10) + "MiB"})
	}
	return functions
}

// reducedGCEnv makes the Go runtime collect garbage only when there is four times as much of it
// as live memory, for functions that need a small part of their memory: garbage collection costs
// processor time, and the memory is paid for anyway.
func reducedGCEnv() Env { return Env{Name: "GOGC", Value: "400"} }
