package xlsxtest

import (
	"bytes"
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/require"
)

// Offsets of fields within an entry of a ZIP file's central directory.
//
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, section 4.3.12
const (
	Flags            = 8
	Method           = 10
	CRC              = 16
	CompressedSize   = 20 // size in the file
	UncompressedSize = 24 // size when unpacked
	NameLength       = 28
	LocalOffset      = 42 // offset of the local header
	Name             = 46
)

// Entry is a part's entry in a ZIP file's directory, for tests that modify it.
type Entry struct{ Offset int }

// EntryAt returns the entry with that number, from 0.
func EntryAt(file []byte, number int) Entry {
	offset := 0
	for range number + 1 {
		offset += bytes.Index(file[offset:], []byte("PK\x01\x02")) + 4
	}
	return Entry{offset - 4}
}

// EntryOf returns the entry of the part with that name.
func EntryOf(tb testing.TB, file []byte, name string) Entry {
	tb.Helper()
	offset := bytes.LastIndex(file, []byte(name)) - Name
	require.Greater(tb, offset, 0, name)
	require.Equal(tb, "PK\x01\x02", string(file[offset:offset+4]), name)
	return Entry{offset}
}

// Add adds n to a four-byte number in the entry.
func (e Entry) Add(file []byte, field, n int) {
	offset := file[e.Offset+field:]
	binary.LittleEndian.PutUint32(offset, binary.LittleEndian.Uint32(offset)+uint32(n))
}
