package strtab

import (
	"fmt"
	"os"
)

const (
	pageBits = 16
	pageSize = 1 << pageBits
	// cachedPages is the number of pages of the temporary file in memory. A few are enough, because
	// references to strings ascend in most workbooks.
	cachedPages = 64
)

// budget is the remaining memory, shared by a table's stores.
type budget struct{ left int64 }

// pages is an append-only run of bytes: its first pages are in memory, up to the budget, the
// others in a temporary file.
type pages struct {
	budget *budget
	mem    [][]byte
	size   int64

	file   *os.File
	first  int64  // number of the first page in the file
	tail   []byte // current page, not in the file yet
	cached [cachedPages]cachedPage
}

type cachedPage struct {
	number int64
	body   []byte
}

// append adds b at the end.
func (p *pages) append(b []byte) error {
	for len(b) > 0 {
		page, err := p.writable()
		if err != nil {
			return err
		}
		n := min(len(b), pageSize-len(*page))
		*page = append(*page, b[:n]...)
		p.size += int64(n)
		b = b[n:]
	}
	return nil
}

// writable returns the page for the next byte, with room in it.
func (p *pages) writable() (*[]byte, error) {
	if p.file != nil {
		return p.spillable()
	}
	last := len(p.mem) - 1
	if last >= 0 && len(p.mem[last]) < pageSize {
		return &p.mem[last], nil
	}
	if p.budget.left < pageSize {
		return p.spillable()
	}
	p.budget.left -= pageSize
	first := pageSize
	if last < 0 {
		first = pageSize / 16 // most tables are small: let the first page grow
	}
	p.mem = append(p.mem, make([]byte, 0, first))
	return &p.mem[last+1], nil
}

// spillable returns the last page; a full one is first written to the file.
func (p *pages) spillable() (*[]byte, error) {
	if p.file == nil {
		file, err := os.CreateTemp("", "loadbay-strings-*")
		if err != nil {
			return nil, fmt.Errorf("spill shared strings: %w", err)
		}
		// An unlinked file is deleted when its last reader closes it, even if the process dies.
		if err := os.Remove(file.Name()); err != nil {
			return nil, fmt.Errorf("spill shared strings: %w", err)
		}
		p.file, p.first, p.tail = file, int64(len(p.mem)), make([]byte, 0, pageSize)
	}
	if len(p.tail) == pageSize {
		offset := p.size - pageSize - p.first<<pageBits
		if _, err := p.file.WriteAt(p.tail, offset); err != nil {
			return nil, fmt.Errorf("spill shared strings: %w", err)
		}
		p.tail = p.tail[:0]
	}
	return &p.tail, nil
}

// page returns the page with that number, which must exist. It is valid until the next call.
func (p *pages) page(number int64) ([]byte, error) {
	if number < int64(len(p.mem)) {
		return p.mem[number], nil
	}
	if written := (p.size - int64(len(p.tail))) >> pageBits; number >= written {
		return p.tail, nil
	}
	c := &p.cached[number%cachedPages]
	if c.body != nil && c.number == number {
		return c.body, nil
	}
	if c.body == nil {
		c.body = make([]byte, pageSize)
	}
	c.number = -1
	if _, err := p.file.ReadAt(c.body, (number-p.first)<<pageBits); err != nil {
		return nil, fmt.Errorf("read spilled strings: %w", err)
	}
	c.number = number
	return c.body, nil
}

func (p *pages) close() error {
	if p.file == nil {
		return nil
	}
	if err := p.file.Close(); err != nil {
		return fmt.Errorf("close spilled strings: %w", err)
	}
	return nil
}
