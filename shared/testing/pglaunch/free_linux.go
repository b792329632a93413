package pglaunch

import "syscall"

// freeBytes is the room in dir; 0 if there is no such folder.
func freeBytes(dir string) uint64 {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0
	}
	return stat.Bavail * uint64(stat.Bsize)
}
