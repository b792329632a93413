//go:build !linux

package stack

import "time"

// usage returns nothing: other systems do not report usage of running processes.
func usage(int, []string) (peaks map[string]int64, cpu map[string]time.Duration) {
	return map[string]int64{}, map[string]time.Duration{}
}
