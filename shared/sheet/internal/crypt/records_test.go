package crypt

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

// The constants for XOR obfuscation equal the results of the specified derivation from the
// password ([MS-OFFCRYPTO] 2.3.7.1 and 2.3.7.2).
func TestDefaultBytes(t *testing.T) {
	t.Parallel()
	require.Len(t, DefaultPassword, 15)
	const initialCode = 0x4ec3 // for 15 characters
	matrix := [...]uint16{
		0xaefc, 0x4dd9, 0x9bb2, 0x2745, 0x4e8a, 0x9d14, 0x2a09, 0x7b61, 0xf6c2, 0xfda5, 0xeb6b, 0xc6f7, 0x9dcf, 0x2bbf,
		0x4563, 0x8ac6, 0x05ad, 0x0b5a, 0x16b4, 0x2d68, 0x5ad0, 0x0375, 0x06ea, 0x0dd4, 0x1ba8, 0x3750, 0x6ea0, 0xdd40,
		0xd849, 0xa0b3, 0x5147, 0xa28e, 0x553d, 0xaa7a, 0x44d5, 0x6f45, 0xde8a, 0xad35, 0x4a4b, 0x9496, 0x390d, 0x721a,
		0xeb23, 0xc667, 0x9cef, 0x29ff, 0x53fe, 0xa7fc, 0x5fd9, 0x47d3, 0x8fa6, 0x0f6d, 0x1eda, 0x3db4, 0x7b68, 0xf6d0,
		0xb861, 0x60e3, 0xc1c6, 0x93ad, 0x377b, 0x6ef6, 0xddec, 0x45a0, 0x8b40, 0x06a1, 0x0d42, 0x1a84, 0x3508, 0x6a10,
		0xaa51, 0x4483, 0x8906, 0x022d, 0x045a, 0x08b4, 0x1168, 0x76b4, 0xed68, 0xcaf1, 0x85c3, 0x1ba7, 0x374e, 0x6e9c,
		0x3730, 0x6e60, 0xdcc0, 0xa9a1, 0x4363, 0x86c6, 0x1dad, 0x3331, 0x6662, 0xccc4, 0x89a9, 0x0373, 0x06e6, 0x0dcc,
		0x1021, 0x2042, 0x4084, 0x8108, 0x1231, 0x2462, 0x48c4,
	}
	key, verifier, at := uint16(initialCode), uint16(0), len(matrix)-1
	for i := len(DefaultPassword) - 1; i >= 0; i-- {
		for bit := range 7 {
			if DefaultPassword[i]<<bit&0x40 != 0 {
				key ^= matrix[at]
			}
			at--
		}
		verifier = verifier>>14&1 ^ verifier<<1&0x7fff ^ uint16(DefaultPassword[i])
	}
	verifier = verifier>>14&1 ^ verifier<<1&0x7fff ^ uint16(len(DefaultPassword))
	require.EqualValues(t, defaultKey, key)
	require.EqualValues(t, defaultVerifier, verifier^0xce4b)
	for i, c := range []byte(DefaultPassword + "\xbb") {
		half := byte(key)
		if i%2 == 1 {
			half = byte(key >> 8)
		}
		require.Equal(t, defaultBytes[i], bits.RotateLeft8(c^half, -1), "byte %d", i)
	}
}

func TestFilePassCut(t *testing.T) {
	t.Parallel()
	for _, way := range []string{"\x01\x00\x01\x00\x01\x00", "\x01\x00\x04\x00\x02\x00\x04\x00\x00\x00\x20\x00\x00\x00", "\x01\x00\x04\x00\x02\x00\x04\x00\x00\x00\xff\xff\xff\xff", "\x00\x00\x59"} {
		for more := range 50 {
			body := append([]byte(way), make([]byte, more)...)
			_, err := FilePass(body, true, DefaultPassword)
			require.Contains(t, []problem.Code{problem.FileCorrupt, problem.FileEncrypted}, problem.CodeOf(err))
		}
	}
	for _, other := range []string{"\x02\x00\x01\x00\x01\x00", "\x01\x00\x09\x00\x09\x00"} {
		_, err := FilePass([]byte(other), true, DefaultPassword)
		require.Equal(t, problem.FileEncrypted, problem.CodeOf(err), "unknown encryption method")
	}
	_, err := FilePass([]byte("\x59\xb3\x0a\x9a"), false, "another")
	require.Equal(t, problem.FileEncrypted, problem.CodeOf(err))
}

func FuzzFilePass(f *testing.F) {
	f.Add([]byte("\x01\x00\x04\x00\x02\x00\x04\x00\x00\x00\x20\x00\x00\x00"), true)
	f.Add([]byte("\x59\xb3\x0a\x9a"), false)
	f.Fuzz(func(t *testing.T, body []byte, excel97 bool) {
		r, err := FilePass(body, excel97, DefaultPassword)
		if err != nil {
			require.NotEqual(t, problem.Internal, problem.CodeOf(err))
			return
		}
		r.Decrypt(body, 1000, len(body))
	})
}
