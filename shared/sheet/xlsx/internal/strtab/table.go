// Package strtab stores the shared strings of a workbook: many, mostly short, looked up by number.
// They are in memory up to a limit; the rest is in a temporary file, together with the index of
// their positions.
package strtab

import (
	"encoding/binary"
	"errors"
)

// lenEnd is the length of an index entry: the end of a string, little-endian.
const lenEnd = 8

// Table is a growing list of strings.
type Table struct {
	bytes   pages
	ends    pages // 8 bytes per string
	count   int
	scratch []byte // the last string that crossed pages
}

// New returns an empty table that uses approximately memory bytes of memory at most.
func New(memory int64) *Table {
	b := &budget{left: memory}
	return &Table{bytes: pages{budget: b}, ends: pages{budget: b}}
}

// Len is the number of strings.
func (t *Table) Len() int { return t.count }

// Spilled reports whether a temporary file is in use.
func (t *Table) Spilled() bool { return t.bytes.file != nil || t.ends.file != nil }

// Add appends a string.
func (t *Table) Add(s []byte) error {
	if err := t.bytes.append(s); err != nil {
		return err
	}
	var end [lenEnd]byte
	binary.LittleEndian.PutUint64(end[:], uint64(t.bytes.size))
	if err := t.ends.append(end[:]); err != nil {
		return err
	}
	t.count++
	return nil
}

// At returns the string with that number, which must be less than Len. If stable, its bytes are
// valid until Close; otherwise only until the next call.
func (t *Table) At(i int) (s []byte, stable bool, err error) {
	start := int64(0)
	if i > 0 {
		if start, err = t.end(i - 1); err != nil {
			return nil, false, err
		}
	}
	end, err := t.end(i)
	if err != nil || start == end {
		return nil, true, err
	}
	first, last := start>>pageBits, (end-1)>>pageBits
	if first == last {
		page, err := t.bytes.page(first)
		if err != nil {
			return nil, false, err
		}
		lo := start - first<<pageBits
		hi := lo + end - start
		return page[lo:hi:hi], first < int64(len(t.bytes.mem)), nil
	}
	return t.joinPages(start, end)
}

// joinPages joins a string that crosses pages.
func (t *Table) joinPages(start, end int64) ([]byte, bool, error) {
	t.scratch = t.scratch[:0]
	for start < end {
		number := start >> pageBits
		page, err := t.bytes.page(number)
		if err != nil {
			return nil, false, err
		}
		lo := start - number<<pageBits
		hi := min(end-number<<pageBits, pageSize)
		t.scratch = append(t.scratch, page[lo:hi]...)
		start += hi - lo
	}
	return t.scratch, false, nil
}

func (t *Table) end(i int) (int64, error) {
	offset := int64(i) * lenEnd
	page, err := t.ends.page(offset >> pageBits)
	if err != nil {
		return 0, err
	}
	return int64(binary.LittleEndian.Uint64(page[offset&(pageSize-1):])), nil
}

// Close deletes the temporary files.
func (t *Table) Close() error {
	return errors.Join(t.bytes.close(), t.ends.close())
}
