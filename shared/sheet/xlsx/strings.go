package xlsx

import (
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/strtab"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// sharedStrings is the workbook's table of strings, read as far as cells have
// referred to it: most programs number strings in the order of first use.
type sharedStrings struct {
	pkg  *opc.Package
	part string // "" where the workbook has none
	lim  sheet.Limits

	x       *xmlpull.Scanner // nil before the first use
	table   *strtab.Table
	done    bool
	scratch []byte
}

// lookup is the string of that number; see strtab.Table.At.
func (s *sharedStrings) lookup(i int) ([]byte, bool, error) {
	if s.x == nil {
		if err := s.open(); err != nil {
			return nil, false, err
		}
	}
	for i >= s.table.Len() {
		if s.done {
			return nil, false, corrupt("a cell refers to the shared string %d of %d", i, s.table.Len())
		}
		if err := s.next(); err != nil {
			return nil, false, err
		}
	}
	return s.table.At(i)
}

func (s *sharedStrings) open() error {
	if s.part == "" {
		return corrupt("a cell refers to a shared string, and it has none")
	}
	x, err := openXML(s.pkg, s.part)
	if err != nil {
		return err
	}
	tok, err := x.Next()
	if err != nil {
		return err
	}
	if tok != xmlpull.Start || string(x.Local()) != "sst" {
		return corrupt("its shared strings are something else")
	}
	s.x, s.table = x, strtab.New(s.lim.SharedBytes)
	return nil
}

// next reads one string into the table, or the end of the table.
func (s *sharedStrings) next() error {
	tok, err := s.x.Next()
	if err != nil {
		return err
	}
	if tok != xmlpull.Start {
		s.done = true
		return s.x.Drain()
	}
	if string(s.x.Local()) != "si" {
		return s.x.Skip()
	}
	if s.scratch, err = appendRich(s.scratch[:0], s.x, s.lim.CellBytes); err != nil {
		return err
	}
	return s.table.Add(s.scratch)
}

// finish reads what no cell has referred to, so that damage there is found too.
func (s *sharedStrings) finish() error {
	for s.x != nil && !s.done {
		if err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sharedStrings) close() error {
	if s.table == nil {
		return nil
	}
	return s.table.Close()
}
