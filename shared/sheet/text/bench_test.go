package text

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
)

// members returns a CSV of seven columns of a members' list. Every cell is quoted if quoted is
// true; a tenth of the names have accents.
func members(rows int, quoted bool) []byte {
	q := ""
	if quoted {
		q = `"`
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%[1]sid%[1]s,%[1]semail%[1]s,%[1]sfirst name%[1]s,%[1]slast name%[1]s,%[1]sjoined%[1]s,%[1]sfee%[1]s,%[1]sactive%[1]s\n", q)
	for i := range rows {
		name := "Anna"
		if i%10 == 0 {
			name = "Zoë"
		}
		fmt.Fprintf(&b, "%[1]s%[2]d%[1]s,%[1]smember%[2]d@example.org%[1]s,%[1]s%[3]s%[1]s,%[1]sSmith-%[4]d%[1]s,%[1]s2026-01-%02[5]d%[1]s,%[1]s%[6]d.50%[1]s,%[1]strue%[1]s\n",
			q, i, name, i%1000, i%28+1, i%500)
	}
	return b.Bytes()
}

func benchTables(b *testing.B, each func(b *testing.B, in []byte)) {
	for _, quoted := range []bool{false, true} {
		in := members(200_000, quoted)
		b.Run(fmt.Sprintf("quoted=%t", quoted), func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			b.ReportAllocs()
			each(b, in)
		})
	}
}

func detectDialect(b *testing.B, in []byte) *sheet.Dialect {
	d, err := Detect(context.Background(), bytes.NewReader(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(b, err)
	return d
}

// BenchmarkDetect detects files of about 15 MB. The expensive case is scanning a whole file
// whose beginning does not show that it is UTF-8.
func BenchmarkDetect(b *testing.B) {
	utf8 := members(200_000, false)
	for name, in := range map[string][]byte{
		"utf-8":        utf8,
		"ascii":        bytes.ReplaceAll(utf8, []byte("ë"), []byte("e")),
		"windows-1252": bytes.ReplaceAll(utf8, []byte("ë"), []byte("\xEB")),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				detectDialect(b, in)
			}
		})
	}
}

func BenchmarkCut(b *testing.B) {
	benchTables(b, func(b *testing.B, in []byte) {
		d, ctx, lim := detectDialect(b, in), context.Background(), sheet.DefaultLimits()
		for b.Loop() {
			counts, err := Cut(ctx, bytes.NewReader(in), d, 5000, lim, sheet.Observer{}, func(context.Context, sheet.Chunk, []byte) error { return nil })
			require.NoError(b, err)
			require.EqualValues(b, 200_000, counts.Rows)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	benchTables(b, func(b *testing.B, in []byte) {
		d, lim := detectDialect(b, in), sheet.DefaultLimits()
		body := in[d.DataOffset:]
		c := sheet.Chunk{FirstRow: 2, Lines: 200_000, Rows: 200_000}
		for b.Loop() {
			rows, err := OpenChunk(body, d, c, lim)
			require.NoError(b, err)
			for rows.Next() {
			}
			require.NoError(b, rows.Err())
		}
	})
}

func BenchmarkOpen(b *testing.B) {
	benchTables(b, func(b *testing.B, in []byte) {
		d, ctx, lim := detectDialect(b, in), context.Background(), sheet.DefaultLimits()
		for b.Loop() {
			rows, err := Open(ctx, bytes.NewReader(in), d, lim)
			require.NoError(b, err)
			for rows.Next() {
			}
			require.NoError(b, rows.Err())
		}
	})
}

func BenchmarkEncodingCSV(b *testing.B) {
	benchTables(b, func(b *testing.B, in []byte) {
		for b.Loop() {
			r := csv.NewReader(bytes.NewReader(in))
			r.ReuseRecord = true
			for {
				if _, err := r.Read(); err == io.EOF {
					break
				} else if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}
