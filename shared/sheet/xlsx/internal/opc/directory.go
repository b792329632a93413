package opc

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/sheet"
)

// Sizes and signatures of the ZIP structures that are read (APPNOTE.TXT 4.3).
const (
	sigLocal     = 0x04034b50
	sigCentral   = 0x02014b50
	sigEnd       = 0x06054b50
	sigEnd64     = 0x06064b50
	sigLocator64 = 0x07064b50

	lenLocal     = 30
	lenCentral   = 46
	lenEnd       = 22
	lenEnd64     = 56
	lenLocator64 = 20

	maxComment   = math.MaxUint16
	maxDirectory = 16 << 20 // bytes; a workbook has a few dozen parts
	maxParts     = 20_000

	flagEncrypted = 1 << 0
	methodStored  = 0
	methodDeflate = 8
)

// entry is one part in the central directory.
type entry struct {
	name           string // unchanged
	method         uint16
	flags          uint16
	crc            uint32
	compressedSize int64 // bytes in the file
	size           int64 // declared size when inflated
	offset         int64 // offset of the local header
	end            int64 // start of the next part
}

// directory finds and reads the central directory.
func (p *Package) directory() error {
	tail := min(p.size, lenEnd+maxComment)
	block, err := p.read(p.size-tail, tail)
	if err != nil {
		return err
	}
	start := findEnd(block)
	if start < 0 {
		return corruptError("it is not a complete ZIP file")
	}
	end := block[start:]
	count := int64(binary.LittleEndian.Uint16(end[10:]))
	length := int64(binary.LittleEndian.Uint32(end[12:]))
	offset := int64(binary.LittleEndian.Uint32(end[16:]))
	endAt := p.size - tail + int64(start)
	if count == math.MaxUint16 || length == math.MaxUint32 || offset == math.MaxUint32 {
		if count, length, offset, err = p.end64(endAt); err != nil {
			return err
		}
	}
	if count > maxParts || length < 0 || length > maxDirectory || offset < 0 || offset > endAt-length {
		return corruptError("its directory of parts is invalid")
	}
	if block, err = p.read(offset, length); err != nil {
		return err
	}
	entries, err := parseDirectory(block, int(count))
	if err != nil {
		return err
	}
	if err := checkDisjoint(entries, offset); err != nil {
		return err
	}
	return p.index(entries)
}

// findEnd returns the offset of the end record in the file's tail, or -1.
func findEnd(tail []byte) int {
	for i := len(tail) - lenEnd; i >= 0; i-- {
		if binary.LittleEndian.Uint32(tail[i:]) != sigEnd {
			continue
		}
		comment := int(binary.LittleEndian.Uint16(tail[i+20:]))
		if i+lenEnd+comment <= len(tail) {
			return i
		}
	}
	return -1
}

// end64 reads the end record of the 64-bit format, to which the locator before the usual one
// points.
func (p *Package) end64(endAt int64) (count, length, offset int64, err error) {
	damaged := corruptError("its 64-bit directory is damaged")
	if endAt < lenLocator64+lenEnd64 {
		return 0, 0, 0, damaged
	}
	loc, err := p.read(endAt-lenLocator64, lenLocator64)
	if err != nil {
		return 0, 0, 0, err
	}
	start := int64(binary.LittleEndian.Uint64(loc[8:]))
	if binary.LittleEndian.Uint32(loc) != sigLocator64 || start < 0 || start > endAt-lenLocator64-lenEnd64 {
		return 0, 0, 0, damaged
	}
	rec, err := p.read(start, lenEnd64)
	if err != nil {
		return 0, 0, 0, err
	}
	if binary.LittleEndian.Uint32(rec) != sigEnd64 {
		return 0, 0, 0, damaged
	}
	count = int64(binary.LittleEndian.Uint64(rec[32:]))
	length = int64(binary.LittleEndian.Uint64(rec[40:]))
	offset = int64(binary.LittleEndian.Uint64(rec[48:]))
	if count < 0 {
		return 0, 0, 0, damaged
	}
	return count, length, offset, nil
}

// parseDirectory reads the directory's count entries.
func parseDirectory(b []byte, count int) ([]entry, error) {
	var entries []entry
	for range count {
		if len(b) < lenCentral || binary.LittleEndian.Uint32(b) != sigCentral {
			return nil, corruptError("its directory of parts is damaged")
		}
		nameLen := int(binary.LittleEndian.Uint16(b[28:]))
		extraLen := int(binary.LittleEndian.Uint16(b[30:]))
		commentLen := int(binary.LittleEndian.Uint16(b[32:]))
		total := lenCentral + nameLen + extraLen + commentLen
		if len(b) < total {
			return nil, corruptError("its directory of parts is damaged")
		}
		e := entry{
			name:           string(b[lenCentral : lenCentral+nameLen]),
			flags:          binary.LittleEndian.Uint16(b[8:]),
			method:         binary.LittleEndian.Uint16(b[10:]),
			crc:            binary.LittleEndian.Uint32(b[16:]),
			compressedSize: int64(binary.LittleEndian.Uint32(b[20:])),
			size:           int64(binary.LittleEndian.Uint32(b[24:])),
			offset:         int64(binary.LittleEndian.Uint32(b[42:])),
		}
		extra := b[lenCentral+nameLen : lenCentral+nameLen+extraLen]
		if err := e.applyZip64(extra); err != nil {
			return nil, err
		}
		entries = append(entries, e)
		b = b[total:]
	}
	return entries, nil
}

// applyZip64 sets the fields that have 64-bit values in the extra data.
func (e *entry) applyZip64(extra []byte) error {
	var wide []byte
	for len(extra) >= 4 {
		id, n := binary.LittleEndian.Uint16(extra), int(binary.LittleEndian.Uint16(extra[2:]))
		if len(extra) < 4+n {
			break // Java's tools use padding that is shorter than a field
		}
		if id == 1 {
			wide = extra[4 : 4+n]
		}
		extra = extra[4+n:]
	}
	for _, field := range []*int64{&e.size, &e.compressedSize, &e.offset} {
		if *field != math.MaxUint32 {
			continue
		}
		if len(wide) < 8 {
			return corruptError("its directory of parts is damaged")
		}
		*field = int64(binary.LittleEndian.Uint64(wide))
		wide = wide[8:]
	}
	if e.size < 0 || e.compressedSize < 0 || e.offset < 0 {
		return corruptError("its directory of parts is damaged")
	}
	return nil
}

// checkDisjoint sorts the parts by offset and rejects those that overlap, as in zip bombs without
// nesting, and those that extend into the directory at dirAt.
func checkDisjoint(entries []entry, dirAt int64) error {
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.offset, b.offset) })
	for i := range entries {
		e := &entries[i]
		e.end = dirAt
		if i+1 < len(entries) {
			e.end = entries[i+1].offset
		}
		if !e.fitsBeforeNext(0) {
			return corruptError("its parts overlap")
		}
	}
	return nil
}

// fitsBeforeNext reports whether the part, with that many bytes of extra fields in its local
// header, ends before the next one begins.
func (e *entry) fitsBeforeNext(extra int64) bool {
	room := e.end - e.offset - lenLocal - int64(len(e.name)) - extra
	return room >= 0 && e.compressedSize <= room
}

// index indexes the parts by name. Part names are case-insensitive (ECMA-376-2, 6.2.2.3); a
// duplicate name makes a file ambiguous.
func (p *Package) index(entries []entry) error {
	p.parts = make(map[string]entry, len(entries))
	for _, e := range entries {
		if strings.HasSuffix(e.name, "/") {
			continue
		}
		key := canonicalName(e.name)
		if _, twice := p.parts[key]; twice {
			return corruptError("it contains a part twice")
		}
		p.parts[key] = e
	}
	return nil
}

func canonicalName(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return strings.ToLower(strings.TrimLeft(name, "/"))
}

func corruptError(what string) error {
	return sheet.DamagedError(nil, "%s", what)
}
