package xlsx

import (
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/opc"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/strtab"
	"github.com/loadbay/loadbay/shared/sheet/xlsx/internal/xmlpull"
)

// sharedStrings is the workbook's table of strings, read as far as cells reference it: most
// programs number strings in the order of first use.
type sharedStrings struct {
	pkg      *opc.Package
	part     string // "" if the workbook has none
	lim      sheet.Limits
	prefetch bool // whether another core reads the list a little further than needed

	list       *stringList // nil before the first use
	prefetched *stringPrefetcher
	table      *strtab.Table
	done       bool
	batch      stringBatch // the last batch
}

// lookup returns the string with that number; see strtab.Table.At.
func (s *sharedStrings) lookup(i int) ([]byte, bool, error) {
	if s.list == nil {
		if err := s.open(); err != nil {
			return nil, false, err
		}
	}
	for i >= s.table.Len() {
		if s.done {
			return nil, false, corruptError("a cell refers to the shared string %d of %d", i, s.table.Len())
		}
		if err := s.next(); err != nil {
			return nil, false, err
		}
	}
	return s.table.At(i)
}

func (s *sharedStrings) open() error {
	if s.part == "" {
		return corruptError("a cell refers to a shared string, but it has none")
	}
	part, err := s.pkg.Part(s.part)
	if err != nil {
		return err
	}
	s.prefetch = s.prefetch && part.Size() >= minPrefetchStrings
	if s.prefetch {
		part.DisableCounting()
	}
	x, err := xmlpull.New(partLabel(s.part), part)
	if err != nil {
		return err
	}
	tok, err := x.Next()
	if err != nil {
		return err
	}
	if tok != xmlpull.Start || string(x.Local()) != "sst" {
		return corruptError("its shared strings have an unexpected root element")
	}
	s.list, s.table = &stringList{x: x, part: part, limit: s.lim.CellBytes}, strtab.New(s.lim.SharedBytes)
	if s.prefetch {
		s.prefetched = prefetchStrings(s.list)
	}
	return nil
}

// next reads some strings into the table, or the end of the list. An error after the last of them
// is reported when more are requested.
func (s *sharedStrings) next() error {
	if s.batch.err != nil {
		return s.batch.err
	}
	if s.prefetched != nil {
		s.prefetched.next(&s.batch)
		if err := s.pkg.AddInflated(s.batch.inflated); err != nil {
			return err
		}
	} else {
		s.batch.reset()
		s.list.read(&s.batch)
	}
	start := 0
	for _, end := range s.batch.ends {
		if err := s.table.Add(s.batch.text[start:end]); err != nil {
			return err
		}
		start = end
	}
	s.done = s.batch.done
	return nil
}

// finish reads the unreferenced rest of the list to detect damage.
func (s *sharedStrings) finish() error {
	for s.list != nil && !s.done {
		if err := s.next(); err != nil {
			return err
		}
	}
	return nil
}

func (s *sharedStrings) close() error {
	if s.prefetched != nil {
		s.prefetched.close()
	}
	if s.table == nil {
		return nil
	}
	return s.table.Close()
}
