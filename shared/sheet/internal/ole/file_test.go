package ole_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet/internal/ole"
	"github.com/loadbay/loadbay/shared/sheet/xls/xlstest"
)

func numbered(n int) []byte {
	var b []byte
	for i := range n / 4 {
		b = binary.LittleEndian.AppendUint32(b, uint32(i))
	}
	return b
}

func TestStreams(t *testing.T) {
	t.Parallel()
	first, second := numbered(5000), numbered(17<<20) // more than one block, and nested tables
	file := xlstest.Container(xlstest.Stream{Name: "First", Body: first}, xlstest.Stream{Name: "Second", Body: second})
	f, err := ole.Open(context.Background(), bytes.NewReader(file))
	require.NoError(t, err)
	require.False(t, f.Has("Third"))
	require.True(t, f.Has("FIRST"))
	got, err := f.Stream("first")
	require.NoError(t, err)
	require.True(t, bytes.Equal(first, got))
	got, err = f.Stream("Second")
	require.NoError(t, err)
	require.True(t, bytes.Equal(second, got))
}

// In a small file, the directory follows one sector of tables.
const directoryAt, entryLen, sizeAt, linkAt = 1024, 128, 120, 72

func TestFalseSizes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		claim func(file []byte)
		code  problem.Code
	}{
		"stream larger than the file": {func(f []byte) { binary.LittleEndian.PutUint32(f[directoryAt+entryLen+sizeAt:], 1<<20) }, problem.FileCorrupt},
		"stream too large":            {func(f []byte) { binary.LittleEndian.PutUint32(f[directoryAt+entryLen+sizeAt:], 1<<30) }, problem.FileTooLarge},
		"directory in a circle":       {func(f []byte) { binary.LittleEndian.PutUint32(f[directoryAt+entryLen+linkAt:], 1) }, problem.FileCorrupt},
		"directory runs on":           {func(f []byte) { binary.LittleEndian.PutUint32(f[512+4:], 1) }, problem.FileCorrupt},
		"directory is elsewhere":      {func(f []byte) { binary.LittleEndian.PutUint32(f[48:], 1<<30) }, problem.FileCorrupt},
		"sectors of another size":     {func(f []byte) { f[30] = 20 }, problem.FileCorrupt},
		"more tables than there are":  {func(f []byte) { binary.LittleEndian.PutUint32(f[72:], 1<<30) }, problem.FileCorrupt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := xlstest.Container(xlstest.Stream{Name: "Book", Body: numbered(5000)})
			tt.claim(file)
			f, err := ole.Open(context.Background(), bytes.NewReader(file))
			if err == nil {
				_, err = f.Stream("Book")
			}
			require.Equal(t, tt.code, problem.CodeOf(err), "%v", err)
		})
	}
}

// A directory of millions of entries is rejected before it is allocated.
func TestDirectoryTooLarge(t *testing.T) {
	t.Parallel()
	file := xlstest.Container(xlstest.Stream{Name: "Book", Body: make([]byte, 16<<20)})
	// The directory begins at the first sector of the stream, and continues with it.
	tables := binary.LittleEndian.Uint32(file[44:])
	binary.LittleEndian.PutUint32(file[48:], tables+1)
	_, err := ole.Open(context.Background(), bytes.NewReader(file))
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(err))
}

// source counts its reads and can fail.
type source struct {
	*bytes.Reader
	reads  int
	failAt int // number of the read that fails, from 1
	fault  error
}

func (s *source) ReadAt(b []byte, off int64) (int, error) {
	if s.reads++; s.reads == s.failAt {
		return 0, s.fault
	}
	return s.Reader.ReadAt(b, off)
}

func TestSourceFaults(t *testing.T) {
	t.Parallel()
	reset := errors.New("connection reset")
	file := xlstest.Container(xlstest.Stream{Name: "Book", Body: numbered(3 << 20)})
	for fault, want := range map[error]error{reset: reset, io.EOF: io.ErrUnexpectedEOF} {
		for failAt := 1; ; failAt++ {
			src := &source{Reader: bytes.NewReader(file), failAt: failAt, fault: fault}
			f, err := ole.Open(context.Background(), src)
			if err == nil {
				_, err = f.Stream("Book")
			}
			if src.reads < failAt {
				require.NoError(t, err)
				require.Equal(t, 4, src.reads, "one read for each MiB")
				break
			}
			require.ErrorIs(t, err, want)
			require.Equal(t, problem.Internal, problem.CodeOf(err))
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := ole.Open(ctx, bytes.NewReader(xlstest.Container()))
	require.ErrorIs(t, err, context.Canceled)
}
