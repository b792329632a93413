// Package proctime reports the processor time used by processes of this machine.
package proctime

import "time"

// CPUTime returns how much a process has used so far, in user and in system mode; ended is the
// time of those of its children that have ended and for which it has waited. Both are 0 for a
// process that no longer exists, and on systems without /proc.
func CPUTime(pid int) (own, ended time.Duration) { return of(pid) }
