package blueprint

import "strconv"

// withMemoryLimits tells each function's Go runtime how much memory there is: it collects garbage in
// time before Lambda would end the process. The rest is for what the runtime does not count.
func withMemoryLimits(functions []Function) []Function {
	for i := range functions {
		f := &functions[i]
		f.Env = append(f.Env, Env{Name: "GOMEMLIMIT", Value: strconv.Itoa(f.Memory*9/10) + "MiB"})
	}
	return functions
}

// reducedGCEnv lets the Go runtime collect garbage only once there is four times as much of it
// as of what is in use, for a function that needs a small part of its memory: to collect
// takes processor time, which costs more than memory that is paid anyway.
func reducedGCEnv() Env { return Env{Name: "GOGC", Value: "400"} }
