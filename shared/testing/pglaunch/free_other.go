//go:build !linux

package pglaunch

// freeBytes returns 0: only Linux stores files in memory at /dev/shm.
func freeBytes(string) uint64 { return 0 }
