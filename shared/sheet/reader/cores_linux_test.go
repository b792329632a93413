package reader_test

import (
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkReaderCores measures the CPU seconds for cutting a workbook, of the reader's thread and
// of all threads. On an idle machine, the elapsed time is the maximum of the first figure and of
// the second divided by the number of cores. Unlike the elapsed time, both figures are the same on
// a busy machine.
//
//	go test ./shared/sheet/reader -run '^$' -bench ReaderCores -benchtime 2x -rows 1000000 -cpu 1,2
//
// (-benchtime 1x would take the first figure of -cpu from a run with all cores.)
func BenchmarkReaderCores(b *testing.B) {
	for _, n := range strings.Split(*benchRows, ",") {
		rows, err := strconv.Atoi(n)
		require.NoError(b, err)
		b.Run(n, func(b *testing.B) {
			name := generated(b, "members.xlsx", rows, writeXLSX)
			runtime.LockOSThread() // the thread is used by the reader only
			defer runtime.UnlockOSThread()
			var longest, all time.Duration
			for b.Loop() {
				thread, process := cpuTime(b, syscall.RUSAGE_THREAD), cpuTime(b, syscall.RUSAGE_SELF)
				n, err := cutFile(name)
				longest, all = longest+cpuTime(b, syscall.RUSAGE_THREAD)-thread, all+cpuTime(b, syscall.RUSAGE_SELF)-process
				require.NoError(b, err)
				require.Equal(b, rows, n)
			}
			million := float64(rows) * float64(b.N) / 1e6
			b.ReportMetric(longest.Seconds()/million, "s-reader/Mrows")
			b.ReportMetric(all.Seconds()/million, "s-all/Mrows")
		})
	}
}

// cpuTime returns the CPU time that the thread, or the process, has used so far.
func cpuTime(b *testing.B, who int) time.Duration {
	b.Helper()
	var u syscall.Rusage
	require.NoError(b, syscall.Getrusage(who, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
