package columnmatch

import "github.com/loadbay/loadbay/shared/sheet"

const (
	// SampledRows is the number of rows that are sampled to detect a column's kind of values.
	SampledRows = 50
	// ShownSamples is the number of samples shown to the person who maps the columns.
	ShownSamples = 3
	// sampleLength is the maximum length of a sample in characters.
	sampleLength = 80
)

// Samples holds a few values of each column of a file.
type Samples struct {
	texts  [][]string
	nested []bool // whether all samples are objects or arrays
}

// NewSamples returns empty samples for a file with that many columns.
func NewSamples(columns int) *Samples {
	return &Samples{texts: make([][]string, columns), nested: make([]bool, columns)}
}

// Add takes samples from a row and returns its approximate size in bytes.
func (s *Samples) Add(r *sheet.Row) int64 {
	bytes := int64(len(r.Cells)) // a delimiter or line end for each cell
	for i, c := range r.Cells {
		bytes += int64(len(c.Bytes))
		if i < len(s.texts) && len(s.texts[i]) < SampledRows && len(c.Bytes) > 0 {
			s.nested[i] = c.Kind == sheet.JSON && (s.nested[i] || len(s.texts[i]) == 0)
			s.texts[i] = append(s.texts[i], ShortenSample(string(c.DisplayText())))
		}
	}
	return bytes
}

// ShortenSample shortens a sample.
func ShortenSample(s string) string {
	if r := []rune(s); len(r) > sampleLength {
		return string(r[:sampleLength]) + "…"
	}
	return s
}
