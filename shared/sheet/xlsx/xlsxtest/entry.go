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
	Flags      = 8
	Method     = 10
	CRC        = 16
	Packed     = 20 // size in the file
	Size       = 24 // size when unpacked
	NameLength = 28
	Local      = 42 // where the part begins
	Name       = 46
)

// Entry is what a ZIP file's directory says of one part, for tests that change it.
type Entry struct{ At int }

// EntryAt is the entry of that number, from 0.
func EntryAt(file []byte, number int) Entry {
	at := 0
	for range number + 1 {
		at += bytes.Index(file[at:], []byte("PK\x01\x02")) + 4
	}
	return Entry{at - 4}
}

// EntryOf is the entry of the part of that name.
func EntryOf(tb testing.TB, file []byte, name string) Entry {
	tb.Helper()
	at := bytes.LastIndex(file, []byte(name)) - Name
	require.Greater(tb, at, 0, name)
	require.Equal(tb, "PK\x01\x02", string(file[at:at+4]), name)
	return Entry{at}
}

// Add adds to a number of four bytes in the entry.
func (e Entry) Add(file []byte, field, n int) {
	at := file[e.At+field:]
	binary.LittleEndian.PutUint32(at, binary.LittleEndian.Uint32(at)+uint32(n))
}
