// Package proctime says how much processor time processes of this machine have used.
package proctime

import "time"

// CPUTime is how much a process has used so far, in user and in system mode; ended is what
// its children had used that it has waited for. Both are 0 for a process that is not there
// any more, and where the system does not say (it is read from /proc).
func CPUTime(pid int) (own, ended time.Duration) { return of(pid) }
