package xls_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xls"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

// BenchmarkReader reads the maximum number of rows of the format, with 7 columns including a
// date.
func BenchmarkReader(b *testing.B) {
	const rows = 65_535
	var items []string
	for i := range 2000 {
		items = append(items, fmt.Sprintf("person%d", i))
	}
	full := xlstest.Simple()
	full.Globals = append(full.Globals[:len(full.Globals)-1], splitSST(items)...)
	records := [][]byte{xlstest.Header()}
	for i := range uint16(rows) {
		r := i + 1
		records = append(records, xlstest.Number(r, 0, 0, float64(i)), xlstest.Shared(r, 1, uint32(i)%2000), xlstest.Shared(r, 2, uint32(i)%1999),
			xlstest.Number(r, 3, 0, float64(i)/100), xlstest.Number(r, 4, 1, 25569+float64(i%20000)), xlstest.Record(0x0205, r, uint16(5), uint16(0), byte(i%2), byte(0)),
			xlstest.Shared(r, 6, 0))
	}
	full.Sheets[0].Records = records
	file := full.File()
	d := &sheet.Dialect{HeaderRow: 1}
	b.ReportAllocs()
	for b.Loop() {
		r, err := xls.Open(context.Background(), bytes.NewReader(file), d, sheet.DefaultLimits())
		require.NoError(b, err)
		for r.Next() {
		}
		require.NoError(b, r.Err())
		require.EqualValues(b, rows, r.Counts().Rows)
	}
	b.ReportMetric(float64(rows*b.N)/b.Elapsed().Seconds(), "rows/s")
}

// splitSST returns the table of shared strings in records of a valid size.
func splitSST(items []string) [][]byte {
	const perRecord = 400
	out := [][]byte{xlstest.SST(items[:perRecord]...)}
	for rest := items[perRecord:]; len(rest) > 0; rest = rest[min(perRecord, len(rest)):] {
		var body []byte
		for _, s := range rest[:min(perRecord, len(rest))] {
			body = append(body, xlstest.Text(s)...)
		}
		out = append(out, xlstest.Record(0x003c, body))
	}
	return out
}
