package sheet

// The limits of a sample, independent of the file's size.
const (
	sampleRows  = 1000
	sampleBytes = 1 << 20
)

// Sample contains copies of the first non-blank rows of a file, from which Detect infers the header
// row. Its zero value is empty.
type Sample struct {
	rows []Row
	size int
}

// Add copies the row and reports whether the sample has room for another one.
func (s *Sample) Add(r *Row) (more bool) {
	if s.isFull() {
		return false
	}
	c := Row{Number: r.Number, ErrorCode: r.ErrorCode, Cells: make([]Cell, len(r.Cells))}
	for i, cell := range r.Cells {
		c.Cells[i] = Cell{Kind: cell.Kind, Bytes: append([]byte(nil), cell.Bytes...)}
		s.size += len(cell.Bytes)
	}
	s.rows = append(s.rows, c)
	return !s.isFull()
}

func (s *Sample) isFull() bool { return len(s.rows) >= sampleRows || s.size >= sampleBytes }

// Rows returns the sampled rows, in file order.
func (s *Sample) Rows() []Row { return s.rows }
