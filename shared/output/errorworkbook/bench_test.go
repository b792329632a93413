package errorworkbook_test

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/errorworkbook"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/sheet"
)

// BenchmarkWrite writes a workbook for a file of which every row failed. It reports the rate
// and the peak memory, without that of the file itself.
func BenchmarkWrite(b *testing.B) {
	const rows = 200_000
	var file strings.Builder
	file.WriteString("Name,E-mail,Note,Born on\n")
	failed := make([]job.RowResult, rows)
	for n := range failed {
		fmt.Fprintf(&file, "Name %d,address %d,some note about the row,1990-01-31\n", n, n)
		failed[n] = newRowError(int64(n)+2, "EMAIL", "This is no e-mail address.")
	}
	i := afterImport(b, []byte(file.String()), 5000, []string{"NAME", "EMAIL", "", "BORN"}, failed...)
	before, peak, stop := heap(), uint64(0), make(chan struct{})
	sampled := make(chan struct{})
	go func() {
		defer close(sampled)
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				peak = max(peak, heap())
			case <-stop:
				return
			}
		}
	}()
	for b.Loop() {
		n, err := errorworkbook.New(i, i, sheet.DefaultLimits()).Write(b.Context(), io.Discard, translation.English, i.job, &declaration)
		require.NoError(b, err)
		require.Equal(b, int64(rows), n)
	}
	close(stop)
	<-sampled
	b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(peak-min(peak, before))/(1<<20), "MB")
}

func heap() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapInuse
}
