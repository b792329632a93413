package reader_test

import (
	"bufio"
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/reader"
)

var benchRows = flag.String("rows", "200000", "rows of the benchmarks' files, parted by commas")

// BenchmarkReader compares this package with encoding/csv and excelize on the
// same files in one run:
//
//	go test ./shared/sheet/reader -run '^$' -bench Reader -benchtime 1x -rows 200000,1000000
//
// peak-MB is the maximum heap in use; the files are on disk.
func BenchmarkReader(b *testing.B) {
	for _, n := range strings.Split(*benchRows, ",") {
		rows, err := strconv.Atoi(n)
		require.NoError(b, err)
		b.Run("csv/"+n, func(b *testing.B) {
			name := generated(b, "members.csv", rows, writeCSV)
			measure(b, "cut", name, rows, cutFile)
			measure(b, "read", name, rows, readFile)
			measure(b, "encoding-csv", name, rows, readEncodingCSV)
		})
		b.Run("xlsx/"+n, func(b *testing.B) {
			name := generated(b, "members.xlsx", rows, writeXLSX)
			measure(b, "cut", name, rows, cutFile)
			measure(b, "read", name, rows, readFile)
			measure(b, "excelize-raw", name, rows, func(name string) (int, error) { return readExcelize(name, true) })
			measure(b, "excelize-formatted", name, rows, func(name string) (int, error) { return readExcelize(name, false) })
		})
	}
}

// measure runs one way of reading a file, which returns the number of rows.
func measure(b *testing.B, way, name string, rows int, read func(name string) (int, error)) {
	b.Run(way, func(b *testing.B) {
		info, err := os.Stat(name)
		require.NoError(b, err)
		b.SetBytes(info.Size())
		peak := uint64(0)
		for b.Loop() {
			peak = max(peak, peakHeap(func() {
				n, err := read(name)
				require.NoError(b, err)
				require.Equal(b, rows, n)
			}))
		}
		b.ReportMetric(float64(rows)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		b.ReportMetric(float64(peak)/(1<<20), "peak-MB")
	})
}

// file is a sheet.Source on disk.
type file struct {
	*os.File
	size int64
}

func (f file) Size() int64 { return f.size }

func openFile(name string) (file, error) {
	f, err := os.Open(name)
	if err != nil {
		return file{}, err
	}
	info, err := f.Stat()
	return file{f, info.Size()}, err
}

func readFile(name string) (int, error) {
	return withDialect(name, func(f file, d *sheet.Dialect) (int, error) {
		rows, err := reader.Open(context.Background(), f, d, sheet.DefaultLimits())
		if err != nil {
			return 0, err
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			return 0, err
		}
		return int(rows.Counts().Rows), rows.Close()
	})
}

func cutFile(name string) (int, error) {
	return withDialect(name, func(f file, d *sheet.Dialect) (int, error) {
		counts, err := reader.Cut(context.Background(), f, d, 5000, sheet.DefaultLimits(), func(context.Context, sheet.Chunk, []byte) error { return nil })
		return int(counts.Rows), err
	})
}

func withDialect(name string, read func(f file, d *sheet.Dialect) (int, error)) (int, error) {
	f, err := openFile(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	d, err := reader.Detect(context.Background(), f, sheet.Options{}, sheet.DefaultLimits())
	if err != nil {
		return 0, err
	}
	return read(f, d)
}

func readEncodingCSV(name string) (int, error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := csv.NewReader(bufio.NewReaderSize(f, 1<<20))
	r.ReuseRecord = true
	for n := -1; ; n++ { // the header does not count
		if _, err := r.Read(); err == io.EOF {
			return n, nil
		} else if err != nil {
			return n, err
		}
	}
}

func readExcelize(name string, raw bool) (int, error) {
	f, err := excelize.OpenFile(name, excelize.Options{RawCellValue: raw})
	if err != nil {
		return 0, err
	}
	defer f.Close()
	rows, err := f.Rows(f.GetSheetName(0))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	n := -1
	for rows.Next() {
		if _, err := rows.Columns(); err != nil {
			return n, fmt.Errorf("row %d: %w", n, err)
		}
		n++
	}
	return n, rows.Error()
}
