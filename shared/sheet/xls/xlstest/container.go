package xlstest

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
)

const (
	sector     = 512
	perFAT     = sector / 4
	perEntry   = 128
	inHeader   = 109        // FAT sectors listed in the header
	perDIFAT   = perFAT - 1 // FAT sectors listed in a DIFAT sector, with a link to the next
	free       = 0xffffffff
	endOfChain = 0xfffffffe
	fatSector  = 0xfffffffd
	difSector  = 0xfffffffc
	// minSectorStream is the minimum size of a stream with its own sectors.
	minSectorStream = 4096
)

// Stream is a stream of a container. It is padded with zeros to 4,096 bytes.
type Stream struct {
	Name string
	Body []byte
}

// Container returns an OLE2 compound file with up to three top-level streams. The FAT comes first,
// then the list of its sectors beyond those in the header, then the directory, then the streams.
func Container(streams ...Stream) []byte {
	var bodies [][]byte
	sectors := 1 // the directory
	for _, s := range streams {
		body := append(bytes.Clone(s.Body), make([]byte, max(0, minSectorStream-len(s.Body)))...)
		bodies = append(bodies, body)
		sectors += (len(body) + sector - 1) / sector
	}
	fats, difs := 1, 0
	for fats*perFAT < sectors+fats+difs {
		fats++
		difs = (max(0, fats-inHeader) + perDIFAT - 1) / perDIFAT
	}
	fat := make([]uint32, 0, fats*perFAT)
	for range fats {
		fat = append(fat, fatSector)
	}
	for range difs {
		fat = append(fat, difSector)
	}
	fat = append(fat, endOfChain) // the directory
	directory := entry("Root Entry", 5, free, 1, endOfChain, 0)
	var data []byte
	for i, body := range bodies {
		next := uint32(i + 2)
		if i == len(bodies)-1 {
			next = free
		}
		directory = append(directory, entry(streams[i].Name, 2, next, free, uint32(len(fat)), len(body))...)
		padded := append(body, make([]byte, (sector-len(body)%sector)%sector)...)
		data = append(data, padded...)
		for n := len(padded) / sector; n > 0; n-- {
			link := uint32(len(fat) + 1)
			if n == 1 {
				link = endOfChain
			}
			fat = append(fat, link)
		}
	}
	for len(fat) < fats*perFAT {
		fat = append(fat, free)
	}
	directory = append(directory, make([]byte, sector-len(directory))...)
	out := header(fats, difs)
	for _, link := range fat {
		out = binary.LittleEndian.AppendUint32(out, link)
	}
	for d := range difs {
		for i := range perDIFAT {
			out = binary.LittleEndian.AppendUint32(out, listed(inHeader+d*perDIFAT+i, fats))
		}
		next := uint32(fats + d + 1)
		if d == difs-1 {
			next = endOfChain
		}
		out = binary.LittleEndian.AppendUint32(out, next)
	}
	return append(append(out, directory...), data...)
}

// listed returns entry i of the list of FAT sectors, which are the first ones of the file.
func listed(i, fats int) uint32 {
	if i < fats {
		return uint32(i)
	}
	return free
}

// header returns the header of a file that begins with the given numbers of FAT and DIFAT sectors,
// followed by the directory.
func header(fats, difs int) []byte {
	out := make([]byte, sector)
	copy(out, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	le := binary.LittleEndian
	le.PutUint16(out[24:], 0x3e)
	le.PutUint16(out[26:], 3)
	le.PutUint16(out[28:], 0xfffe)
	le.PutUint16(out[30:], 9) // 512 bytes
	le.PutUint16(out[32:], 6)
	le.PutUint32(out[44:], uint32(fats))
	le.PutUint32(out[48:], uint32(fats+difs)) // first sector of the directory
	le.PutUint32(out[56:], minSectorStream)
	le.PutUint32(out[60:], endOfChain) // no streams in the mini stream
	le.PutUint32(out[68:], endOfChain)
	if difs > 0 {
		le.PutUint32(out[68:], uint32(fats))
		le.PutUint32(out[72:], uint32(difs))
	}
	for i := range inHeader {
		le.PutUint32(out[76+4*i:], listed(i, fats))
	}
	return out
}

// entry returns an entry of the directory.
func entry(name string, kind byte, right, child, start uint32, size int) []byte {
	out := make([]byte, perEntry)
	le := binary.LittleEndian
	units := utf16.Encode([]rune(name))
	for i, u := range units {
		le.PutUint16(out[2*i:], u)
	}
	le.PutUint16(out[64:], uint16(2*len(units)+2))
	out[66], out[67] = kind, 1
	le.PutUint32(out[68:], free) // left sibling
	le.PutUint32(out[72:], right)
	le.PutUint32(out[76:], child)
	le.PutUint32(out[116:], start)
	le.PutUint32(out[120:], uint32(size))
	return out
}
