package proctime

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"time"
)

// tick is the unit of /proc/<pid>/stat, the same on all machines that Go runs on (USER_HZ).
const tick = 10 * time.Millisecond

// utime is the index of the first of four times among the fields after the program's
// name, which may contain spaces and brackets: proc(5) counts it as field 14.
const utime = 11

func of(pid int) (own, ended time.Duration) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	if len(fields) < utime+4 {
		return 0, 0
	}
	var ticks [4]int64
	for i := range ticks {
		if ticks[i], err = strconv.ParseInt(string(fields[utime+i]), 10, 64); err != nil {
			return 0, 0
		}
	}
	return time.Duration(ticks[0]+ticks[1]) * tick, time.Duration(ticks[2]+ticks[3]) * tick
}
