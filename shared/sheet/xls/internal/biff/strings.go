package biff

import "slices"

// maxStrings limits the index of the shared strings. A stream of ole.MaxStream bytes has no room
// for more distinct ones and for cells that reference them.
const maxStrings = 4 << 20

// Strings is the table of shared strings. It stores the position of each string and decodes it on
// demand, so that it takes a few bytes per string.
type Strings struct {
	stream []byte
	starts []uint32
	ends   []uint32 // ends of the records in which strings begin, ascending
}

// NewStrings finds the strings of the SST record and of those that continue it. The declared number
// of strings is not trusted.
func NewStrings(stream []byte, sst Record) (*Strings, error) {
	const counts = 8
	t, err := NewTextReader(stream, sst, counts)
	if err != nil {
		return nil, err
	}
	s := &Strings{stream: stream}
	for {
		pos, end, ok := t.Position()
		if !ok {
			return s, nil
		}
		if len(s.starts) == maxStrings {
			return nil, CorruptError("it has too many strings")
		}
		s.starts = append(s.starts, uint32(pos))
		if n := len(s.ends); n == 0 || s.ends[n-1] != uint32(end) {
			s.ends = append(s.ends, uint32(end))
		}
		if err := t.Skip(); err != nil {
			return nil, err
		}
	}
}

// Append appends the string with that number.
func (s *Strings) Append(dst []byte, number uint32) ([]byte, error) {
	if s == nil || int64(number) >= int64(len(s.starts)) {
		return dst, CorruptError("a cell refers to a shared string that does not exist")
	}
	pos := s.starts[number]
	i, _ := slices.BinarySearch(s.ends, pos+1)
	return textReaderAt(s.stream, int(pos), int(s.ends[i])).Append(dst, 2)
}
