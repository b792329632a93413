package columnmatch

import "github.com/loadbay/loadbay/shared/sheet"

const (
	// SampledRows rows are enough to tell what kind of values a column holds.
	SampledRows = 50
	// ShownSamples samples are shown to the person who maps the columns.
	ShownSamples = 3
	// sampleLength is the most characters of a sample.
	sampleLength = 80
)

// Samples are a few values of each column of a file.
type Samples struct {
	texts  [][]string
	nested []bool // whether all of them are objects or arrays
}

// NewSamples returns those of a file with so many columns.
func NewSamples(columns int) *Samples {
	return &Samples{texts: make([][]string, columns), nested: make([]bool, columns)}
}

// Add takes samples from a row and returns about how many bytes it has.
func (s *Samples) Add(r *sheet.Row) int64 {
	bytes := int64(len(r.Cells)) // a delimiter or line end each
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
