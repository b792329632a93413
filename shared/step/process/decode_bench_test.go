package process

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/user"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/object"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

type stubFiles []byte

func (b stubFiles) ReadRange(context.Context, object.Version, int64, int64) ([]byte, error) {
	return b, nil
}

// BenchmarkDecode measures the part of a chunk that needs no database: 5,000 users with seven
// columns, from CSV to the columns that Postgres receives.
func BenchmarkDecode(b *testing.B) {
	const lines = 5000
	var text bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&text, "%08x-0000-4000-8000-%012x,user.%x.%d@example.org,User Number %d,editor,true,2026-03-04T05:06:00Z,2026-11-01T12:00:00Z\n", uint32(i)*2654435761, i, i, i, i)
	}
	kind := user.New()
	d := kind.Declaration()
	columns := make([]job.MappedColumn, len(d.Fields))
	header := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		columns[i] = job.MappedColumn{ColumnIndex: i, TargetField: f.Name}
		header[i] = f.Column
	}
	plan, err := rows.NewPlan(d, columns)
	require.NoError(b, err)
	s := &Step{files: stubFiles(text.Bytes()), limits: sheet.DefaultLimits(), log: slog.New(slog.DiscardHandler)}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		in := &chunkInput{
			job: &job.Job{Mode: rowwrite.Insert}, kind: kind, plan: plan,
			dialect: sheet.Dialect{Format: sheet.CSV, Delimiter: ",", Quote: `"`, LineEnd: "\n", Encoding: "utf-8", HeaderRow: 1, Header: header},
			chunk:   &job.Chunk{FirstRow: 2, Lines: lines, Rows: lines, Length: int64(text.Len()), CRC32C: sheet.Checksum(text.Bytes())},
		}
		d, err := s.decode(b.Context(), in)
		require.NoError(b, err)
		require.Equal(b, lines, d.batch.Len())
	}
	b.ReportMetric(float64(lines)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
