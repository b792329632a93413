package biff_test

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/sheet/xls/internal/biff"
)

// FuzzStrings reads any bytes as a table of strings: every string is valid text, and the same when
// it is read again.
func FuzzStrings(f *testing.F) {
	f.Add([]byte(record(biff.SST, counts, "\x02\x00\x00ab", "\x01\x00\x01\x03\x26")))
	f.Add([]byte(record(biff.SST, counts, "\x04\x00\x00ab") + record(biff.Continue, "\x01c\x00d\x00")))
	f.Add([]byte(record(biff.SST, counts, "\x01\x00\x0d\x01\x00\x02\x00\x00\x00\x03\x261234ab")))
	f.Fuzz(func(t *testing.T, stream []byte) {
		s, err := table(string(stream))
		if err != nil || s == nil {
			return
		}
		for i := range uint32(len(stream)) {
			first, err := s.Append(nil, i)
			if err != nil {
				return
			}
			require.True(t, utf8.Valid(first))
			again, err := s.Append(nil, i)
			require.NoError(t, err)
			require.Equal(t, first, again)
		}
	})
}
