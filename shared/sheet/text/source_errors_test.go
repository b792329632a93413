package text

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// failingSource is a source that ends too early, or fails.
type failingSource struct {
	*bytes.Reader
	size int64
	err  error
}

func (l *failingSource) Size() int64 { return l.size }

func (l *failingSource) ReadAt(p []byte, off int64) (int, error) {
	n, err := l.Reader.ReadAt(p, off)
	if err == io.EOF && l.err != nil {
		err = l.err
	}
	return n, err
}

func noRows(context.Context, sheet.Chunk, []byte) error { return nil }

// TestSourceErrors: a source that returns fewer bytes than its size is neither at the end of the
// file nor an invalid file.
func TestSourceErrors(t *testing.T) {
	t.Parallel()
	in := "id,name\n" + strings.Repeat("1,Ann\n", 500_000)
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	broken := errors.New("broken")
	for _, code := range []error{nil, broken} {
		src := &failingSource{bytes.NewReader([]byte(in)), int64(len(in)) + 1, code}
		_, err = Detect(context.Background(), src, sheet.Options{}, sheet.DefaultLimits())
		require.Equal(t, problem.Internal, problem.CodeOf(err), "%v", err)
		_, err = Cut(context.Background(), src, d, 5000, sheet.DefaultLimits(), sheet.Observer{}, noRows)
		require.Equal(t, problem.Internal, problem.CodeOf(err), "%v", err)
		rows, err := Open(context.Background(), src, d, sheet.DefaultLimits())
		require.NoError(t, err)
		for rows.Next() {
		}
		require.Equal(t, problem.Internal, problem.CodeOf(rows.Err()), "%v", rows.Err())
		if code != nil {
			require.ErrorIs(t, rows.Err(), broken)
		}
	}
}

func TestCancelledContext(t *testing.T) {
	t.Parallel()
	in := "id,name\n" + strings.Repeat("1,Ann\n", 500_000)
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	rows, err := Open(ctx, bytesSource(in), d, sheet.DefaultLimits())
	require.NoError(t, err)
	require.True(t, rows.Next())
	cancel()
	for rows.Next() {
	}
	require.ErrorIs(t, rows.Err(), context.Canceled)
	_, err = Cut(ctx, bytesSource(in), d, 5000, sheet.DefaultLimits(), sheet.Observer{}, noRows)
	require.ErrorIs(t, err, context.Canceled)
}

func TestEmitErrorStopsCut(t *testing.T) {
	t.Parallel()
	in := "id\n1\n2\n3\n"
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	broken, calls := errors.New("broken"), 0
	_, err = Cut(context.Background(), bytesSource(in), d, 1, sheet.DefaultLimits(), sheet.Observer{}, func(context.Context, sheet.Chunk, []byte) error {
		calls++
		return broken
	})
	require.ErrorIs(t, err, broken)
	require.Equal(t, 1, calls)
	_, err = Cut(context.Background(), bytesSource(in), d, 0, sheet.DefaultLimits(), sheet.Observer{}, noRows)
	require.Error(t, err)
}

// TestBlankRowsMakeNoChunk: blank rows exceed the size of a chunk.
func TestBlankRowsMakeNoChunk(t *testing.T) {
	t.Parallel()
	const lines = sheet.MaxChunkBytes/1000 + 1
	blank := strings.Repeat(strings.Repeat(" ", 999)+"\n", lines)
	in := "id\n1\n" + blank + "2\n" + blank
	d, err := Detect(context.Background(), bytesSource(in), sheet.Options{}, sheet.DefaultLimits())
	require.NoError(t, err)
	var chunks []sheet.Chunk
	counts, err := Cut(context.Background(), bytesSource(in), d, 5000, sheet.DefaultLimits(), sheet.Observer{}, func(_ context.Context, c sheet.Chunk, _ []byte) error {
		chunks = append(chunks, c)
		return nil
	})
	require.NoError(t, err)
	require.Equal(t, sheet.Counts{Lines: 2*lines + 3, Rows: 2, Blank: 2 * lines, Header: 1}, counts)
	require.Len(t, chunks, 2)
	for i, c := range chunks {
		require.Equal(t, i, c.Index)
		require.Equal(t, 1, c.Rows)
		require.LessOrEqual(t, c.Length, int64(sheet.MaxChunkBytes)+1000)
		want := []string{[]string{"2: 1", "16781: 2"}[i]}
		require.Equal(t, want, readChunk(t, []byte(in[c.Offset:c.Offset+c.Length]), d, c))
	}
}
