//go:build !linux

package pglaunch

// freeBytes is 0: only Linux keeps files in memory at /dev/shm.
func freeBytes(string) uint64 { return 0 }
