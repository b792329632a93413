package sheet_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet"
)

// sumOfA is the SHA-256 of three million times "a" according to sha256sum.
const sumOfA = "2a152c894398719c0570f83fac34ac03a0f6e8e474b995c2403aa5434f7b9dd4"

// countingSource counts the bytes that are read from it.
type countingSource struct {
	*strings.Reader
	read atomic.Int64
	fail error
}

func (c *countingSource) ReadAt(p []byte, offset int64) (int, error) {
	if c.fail != nil {
		return 0, c.fail
	}
	n, err := c.Reader.ReadAt(p, offset)
	c.read.Add(int64(n))
	return n, err
}

func threeMillionBytes() *countingSource {
	return &countingSource{Reader: strings.NewReader(strings.Repeat("a", 3_000_000))}
}

func TestDigest(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		use  func(t *testing.T, d *sheet.Digest)
		most int64 // maximum number of bytes
	}{
		"not read": {func(*testing.T, *sheet.Digest) {}, 3_000_000},
		"read in order": {func(t *testing.T, d *sheet.Digest) {
			_, err := io.Copy(io.Discard, sheet.ReadFrom(d, 0))
			require.NoError(t, err)
		}, 3_000_000},
		"read from below the header": {func(t *testing.T, d *sheet.Digest) {
			_, err := io.Copy(io.Discard, sheet.ReadFrom(d, 1000))
			require.NoError(t, err)
		}, 3_000_000},
		"read in random order": {func(t *testing.T, d *sheet.Digest) {
			r := rand.New(rand.NewPCG(1, 2))
			buffer := make([]byte, 5000)
			for range 100 {
				_, err := d.ReadAt(buffer, r.Int64N(2_990_000))
				require.NoError(t, err)
			}
		}, 3_500_000 + 1<<20},
		"read from the end": {func(t *testing.T, d *sheet.Digest) {
			_, err := d.ReadAt(make([]byte, 1000), 2_999_000)
			require.NoError(t, err)
		}, 3_001_000},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := threeMillionBytes()
			d := sheet.NewDigest(src)
			c.use(t, d)
			for range 2 {
				sum, err := d.SHA256()
				require.NoError(t, err)
				require.Equal(t, sumOfA, sum)
			}
			require.LessOrEqual(t, src.read.Load(), c.most)
		})
	}
}

func TestDigestReadError(t *testing.T) {
	t.Parallel()
	src := threeMillionBytes()
	d := sheet.NewDigest(src)
	src.fail = errors.New("out of reach")
	_, err := d.SHA256()
	require.ErrorIs(t, err, src.fail)
	src.fail = nil
	sum, err := d.SHA256()
	require.NoError(t, err)
	require.Equal(t, sumOfA, sum)

	_, err = sheet.NewDigest(shortSource{bytes.NewReader([]byte("abc"))}).SHA256()
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

// shortSource ends before its size.
type shortSource struct{ *bytes.Reader }

func (shortSource) Size() int64 { return 10 }
