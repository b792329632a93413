package pglaunch

import "syscall"

// freeBytes returns the free space in dir; 0 if the folder does not exist.
func freeBytes(dir string) uint64 {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0
	}
	return stat.Bavail * uint64(stat.Bsize)
}
