package opc_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/xlsxtest"
)

// pack returns an archive with one deflated and one stored part.
func pack(t testing.TB, a, b string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	f, err := w.Create("xl/A.xml")
	require.NoError(t, err)
	_, err = io.WriteString(f, a)
	require.NoError(t, err)
	f, err = w.CreateHeader(&zip.FileHeader{Name: `xl\b.xml`, Method: zip.Store, Extra: []byte{1, 2, 3}})
	require.NoError(t, err)
	_, err = io.WriteString(f, b)
	require.NoError(t, err)
	_, err = w.Create("xl/")
	require.NoError(t, err)
	require.NoError(t, w.SetComment("a comment"))
	require.NoError(t, w.Close())
	return out.Bytes()
}

func open(file []byte, lim sheet.Limits) (*opc.Package, error) {
	return opc.Open(context.Background(), bytes.NewReader(file), lim)
}

// readAll opens the file and reads both parts.
func readAll(file []byte, lim sheet.Limits) (a, b string, err error) {
	p, err := open(file, lim)
	if err != nil {
		return "", "", err
	}
	var texts [2]string
	for i, name := range []string{"/XL/a.xml", "xl/b.xml"} {
		part, err := p.Part(name)
		if err != nil {
			return "", "", err
		}
		text, err := io.ReadAll(part)
		if err != nil {
			return "", "", err
		}
		texts[i] = string(text)
	}
	return texts[0], texts[1], nil
}

func TestParts(t *testing.T) {
	t.Parallel()
	for _, size := range []int{0, 10, 3 << 20} { // the last one is read by ranges
		want := strings.Repeat("0123456789abcde\n", size/16)
		a, b, err := readAll(pack(t, want, want), sheet.Limits{Decompressed: 1 << 30})
		require.NoError(t, err)
		require.True(t, a == want && b == want)
	}
}

func TestMissingPart(t *testing.T) {
	t.Parallel()
	p, err := open(pack(t, "a", "b"), sheet.DefaultLimits())
	require.NoError(t, err)
	require.False(t, p.Has("xl/c.xml"))
	require.True(t, p.Has("XL/A.xml"))
	_, err = p.Part("xl/c.xml")
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(err))
}

// A truncated archive is never valid.
func TestTruncated(t *testing.T) {
	t.Parallel()
	file := pack(t, strings.Repeat("text ", 50), "b")
	for n := 1; n < len(file)-len("a comment"); n++ {
		_, err := open(file[:n], sheet.DefaultLimits())
		require.Equal(t, problem.FileCorrupt, problem.CodeOf(err), "%d bytes", n)
	}
}

func TestFalseSizes(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		lie  func(file []byte, entry xlsxtest.Entry)
		code problem.Code
	}{
		"larger than it says":   {func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.UncompressedSize, -1) }, problem.FileCorrupt},
		"smaller than it says":  {func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.UncompressedSize, 1) }, problem.FileCorrupt},
		"wrong checksum":        {func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.CRC, 1) }, problem.FileCorrupt},
		"shorter stream":        {func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.CompressedSize, -3) }, problem.FileCorrupt},
		"overlapping":           {func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.CompressedSize, 30) }, problem.FileCorrupt},
		"elsewhere":             {func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.LocalOffset, 1) }, problem.FileCorrupt},
		"behind the end":        {func(f []byte, e xlsxtest.Entry) { e.Add(f, xlsxtest.LocalOffset, 1<<30) }, problem.FileCorrupt},
		"another name":          {func(f []byte, e xlsxtest.Entry) { f[e.Offset+xlsxtest.Name+3] = 'x' }, problem.FileCorrupt},
		"name longer than all":  {func(f []byte, e xlsxtest.Entry) { f[e.Offset+xlsxtest.NameLength+1] = 0xff }, problem.FileCorrupt},
		"extra fields too long": {func(f []byte, _ xlsxtest.Entry) { f[29] = 0xff }, problem.FileCorrupt},
		"encrypted":             {func(f []byte, e xlsxtest.Entry) { f[e.Offset+xlsxtest.Flags] |= 1 }, problem.FileEncrypted},
		"unknown compression":   {func(f []byte, e xlsxtest.Entry) { f[e.Offset+xlsxtest.Method] = 9 }, problem.UnsupportedFormat},
		"stored, but deflated":  {func(f []byte, e xlsxtest.Entry) { f[e.Offset+xlsxtest.Method] = 0 }, problem.FileCorrupt},
		"noise in the stream":   {func(f []byte, _ xlsxtest.Entry) { f[40] ^= 0xff; f[41] ^= 0xff }, problem.FileCorrupt},
		"64 bits without extras": {func(f []byte, e xlsxtest.Entry) {
			binary.LittleEndian.PutUint32(f[e.Offset+xlsxtest.UncompressedSize:], 1<<32-1)
		}, problem.FileCorrupt},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := pack(t, strings.Repeat("text ", 50), "b")
			tt.lie(file, xlsxtest.EntryAt(file, 0))
			_, _, err := readAll(file, sheet.DefaultLimits())
			require.Equal(t, tt.code, problem.CodeOf(err), "%v", err)
		})
	}
}

func TestOverlappingParts(t *testing.T) {
	t.Parallel()
	file := pack(t, "same", "same")
	first, second := xlsxtest.EntryAt(file, 0), xlsxtest.EntryAt(file, 1)
	copy(file[second.Offset+xlsxtest.LocalOffset:], file[first.Offset+xlsxtest.LocalOffset:first.Offset+xlsxtest.LocalOffset+4])
	_, err := open(file, sheet.DefaultLimits())
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(err))
}

func TestDuplicatePartName(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, name := range []string{"xl/a.xml", "/XL\\A.xml"} {
		_, err := w.Create(name)
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	_, err := open(out.Bytes(), sheet.DefaultLimits())
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(err))
}

func TestBombs(t *testing.T) {
	t.Parallel()
	zeros := strings.Repeat("0", 8<<20)
	file := pack(t, zeros, "b")

	_, _, err := readAll(file, sheet.DefaultLimits())
	require.Equal(t, problem.FileTooCompressed, problem.CodeOf(err), "compression ratio of 1000")
	_, _, err = readAll(file, sheet.Limits{Decompressed: 8<<20 - 1})
	require.Equal(t, problem.FileTooCompressed, problem.CodeOf(err), "decompressed size above the limit")
	_, _, err = readAll(file, sheet.Limits{Decompressed: 8 << 20})
	require.Equal(t, problem.FileTooCompressed, problem.CodeOf(err), "parts that exceed the limit together")

	binary.LittleEndian.PutUint32(file[xlsxtest.EntryAt(file, 0).Offset+xlsxtest.UncompressedSize:], 100)
	_, _, err = readAll(file, sheet.DefaultLimits())
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(err), "wrong size in the archive")
}

// Tools that do not know sizes beforehand write the 64-bit format.
func TestZip64(t *testing.T) {
	t.Parallel()
	const text = "hello"
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			require.NoError(t, binary.Write(&b, binary.LittleEndian, v))
		}
	}
	name, crc := []byte("a"), crc32.ChecksumIEEE([]byte(text))
	put(uint32(0x04034b50), uint16(45), uint16(0), uint16(0), uint32(0), crc, uint32(1<<32-1), uint32(1<<32-1), uint16(1), uint16(20),
		name, uint16(1), uint16(16), uint64(5), uint64(5), []byte(text))
	directory := uint64(b.Len())
	put(uint32(0x02014b50), uint16(45), uint16(45), uint16(0), uint16(0), uint32(0), crc, uint32(1<<32-1), uint32(1<<32-1), uint16(1),
		uint16(28), uint16(0), uint16(0), uint16(0), uint32(0), uint32(1<<32-1), name, uint16(1), uint16(24), uint64(5), uint64(5), uint64(0))
	end := uint64(b.Len())
	put(uint32(0x06064b50), uint64(44), uint16(45), uint16(45), uint32(0), uint32(0), uint64(1), uint64(1), end-directory, directory)
	put(uint32(0x07064b50), uint32(0), end, uint32(1))
	put(uint32(0x06054b50), uint16(0), uint16(0), uint16(1<<16-1), uint16(1<<16-1), uint32(1<<32-1), uint32(1<<32-1), uint16(0))

	p, err := open(b.Bytes(), sheet.DefaultLimits())
	require.NoError(t, err)
	part, err := p.Part("a")
	require.NoError(t, err)
	got, err := io.ReadAll(part)
	require.NoError(t, err)
	require.Equal(t, text, string(got))

	damaged := bytes.Clone(b.Bytes())
	damaged[end+56+8]++ // the locator points to a wrong offset
	_, err = open(damaged, sheet.DefaultLimits())
	require.Equal(t, problem.FileCorrupt, problem.CodeOf(err))
}

// source counts its reads and can fail.
type source struct {
	*bytes.Reader
	mu     sync.Mutex
	reads  int
	failAt int // number of the read that fails, from 1
	short  bool
}

var errSource = errors.New("connection reset")

func (s *source) ReadAt(b []byte, off int64) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads++
	if s.reads == s.failAt {
		if s.short {
			n, _ := s.Reader.ReadAt(b[:len(b)/2], off)
			return n, io.EOF
		}
		return 0, errSource
	}
	return s.Reader.ReadAt(b, off)
}

// An error of the source is never reported as one of the file.
func TestSourceFaults(t *testing.T) {
	t.Parallel()
	file := pack(t, strings.Repeat("0123456789abcdef", 1<<18), strings.Repeat("0123456789abcdef", 1<<18))
	lim := sheet.Limits{Decompressed: 1 << 30}
	for _, short := range []bool{false, true} {
		for failAt := 1; ; failAt++ {
			src := &source{Reader: bytes.NewReader(file), failAt: failAt, short: short}
			p, err := opc.Open(context.Background(), src, lim)
			for _, name := range []string{"xl/a.xml", "xl/b.xml"} {
				if err != nil {
					break
				}
				var part *opc.Part
				if part, err = p.Part(name); err == nil {
					_, err = io.Copy(io.Discard, part)
				}
			}
			if src.reads < failAt {
				require.NoError(t, err)
				require.Less(t, src.reads, 8, "requests for a file of %d bytes", len(file))
				break
			}
			want := errSource
			if short {
				want = io.ErrUnexpectedEOF
			}
			require.ErrorIs(t, err, want)
			require.Equal(t, problem.Internal, problem.CodeOf(err))
		}
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	file := pack(t, "", strings.Repeat("0123456789abcdef", 1<<18))
	p, err := opc.Open(ctx, bytes.NewReader(file), sheet.Limits{Decompressed: 1 << 30})
	require.NoError(t, err)
	part, err := p.Part("xl/b.xml")
	require.NoError(t, err)
	cancel()
	_, err = io.Copy(io.Discard, part)
	require.ErrorIs(t, err, context.Canceled)
}

// slowSource is a source that blocks requests from the given offset on.
type slowSource struct {
	*bytes.Reader
	waitFrom int64 // offset
	asked    chan int64
	release  chan struct{}
}

func (s *slowSource) ReadAt(b []byte, off int64) (int, error) {
	if off >= s.waitFrom && len(b) == 2<<20 { // a block, not the directory
		s.asked <- off
		<-s.release
	}
	return s.Reader.ReadAt(b, off)
}

// The third block is fetched while the second is processed. A blocked request does not delay the
// cancellation of reading.
func TestPrefetchesNextBlock(t *testing.T) {
	t.Parallel()
	want := bytes.Repeat([]byte("0123456789abcdef"), 1<<19)
	file := pack(t, "", string(want))
	src := &slowSource{Reader: bytes.NewReader(file), waitFrom: 4 << 20, asked: make(chan int64, 9), release: make(chan struct{})}
	ctx, cancel := context.WithCancel(context.Background())
	p, err := opc.Open(ctx, src, sheet.Limits{Decompressed: 1 << 30})
	require.NoError(t, err)
	part, err := p.Part("xl/b.xml")
	require.NoError(t, err)
	got := make([]byte, 3<<20)
	_, err = io.ReadFull(part, got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want[:len(got)], got))
	<-src.asked // for the third block, of which nothing was read yet
	cancel()
	_, err = io.Copy(io.Discard, part)
	require.ErrorIs(t, err, context.Canceled)
	close(src.release)
}
