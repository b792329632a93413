package text

import (
	"bytes"
	"context"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

const (
	// headBytes is what delimiter, quote and header are detected from.
	headBytes = 1 << 20
	// probes are short samples spread over the rest of a large file, so that
	// accents that come late still decide its encoding.
	probes     = 8
	probeBytes = 32 << 10
)

// Detect finds out how a text is to be read. What opt states is taken as it is.
func Detect(ctx context.Context, src sheet.Source, opt sheet.Options, lim sheet.Limits) (*sheet.Dialect, error) {
	samples, err := takeSamples(ctx, src)
	if err != nil {
		return nil, err
	}
	d := &sheet.Dialect{Format: opt.Format}
	if err := setEncoding(d, samples, src.Size(), opt); err != nil {
		return nil, err
	}
	// Before it is decoded: what is no text is no text of any encoding either.
	if unitBytes(d.Encoding) == 1 && looksBinary(samples[0]) {
		return nil, notText()
	}
	whole := int64(len(samples[0])) == src.Size()
	text, err := decodeHead(samples[0][d.BOM:], d.Encoding, whole)
	if err != nil {
		return nil, err
	}
	if whole && len(bytes.TrimSpace(text)) == 0 {
		return nil, empty()
	}
	if looksBinary(text) {
		return nil, notText()
	}
	if d.Format == "" {
		if d.Format, err = textFormat(text, whole); err != nil {
			return nil, err
		}
	}
	if d.Format == sheet.NDJSON {
		err = detectNDJSON(ctx, d, src, opt, lim)
	} else {
		err = detectCSV(ctx, d, src, text, opt, lim)
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func notText() error {
	return problem.New(problem.UnsupportedFormat,
		"This is not a text file or a spreadsheet that Loadbay reads. Upload CSV, NDJSON, XLSX or XLS.")
}

func empty() error { return problem.New(problem.FileEmpty, "The file is empty.") }

// takeSamples reads the beginning of the source, and probes of the rest.
func takeSamples(ctx context.Context, src sheet.Source) ([][]byte, error) {
	head, err := sheet.ReadRange(src, 0, min(src.Size(), headBytes))
	if err != nil {
		return nil, err
	}
	samples := [][]byte{head}
	rest := src.Size() - int64(len(head))
	if rest < probes*probeBytes {
		if rest == 0 {
			return samples, nil
		}
		tail, err := sheet.ReadRange(src, int64(len(head)), rest)
		return append(samples, tail), err
	}
	for i := range int64(probes) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		offset := src.Size() - probeBytes - i*(rest/probes)
		b, err := sheet.ReadRange(src, offset, probeBytes)
		if err != nil {
			return nil, err
		}
		samples = append(samples, b)
	}
	return samples, nil
}

// setEncoding settles encoding and byte order mark. A mark is believed before
// what was stated: it is never written by mistake.
func setEncoding(d *sheet.Dialect, samples [][]byte, size int64, opt sheet.Options) error {
	d.Encoding, d.BOM = mark(samples[0])
	if d.Encoding != "" {
		return nil
	}
	if opt.Encoding == "" {
		d.Encoding = sniff(samples, size)
		return nil
	}
	var err error
	d.Encoding, err = canonical(opt.Encoding)
	return err
}

// decodeHead is the file's beginning as UTF-8, without a last character that the
// sample cuts.
func decodeHead(head []byte, encoding string, whole bool) ([]byte, error) {
	if unit := unitBytes(encoding); !whole {
		head = head[:len(head)-len(head)%unit]
	}
	r, err := decoded(bytes.NewReader(head), encoding)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil && (whole || len(text) < len(head)/8) {
		return nil, err
	}
	return text, nil
}

// looksBinary reports whether the text is full of control characters, which no text
// has. A few are left to the rows they stand in.
func looksBinary(text []byte) bool {
	n := 0
	for _, c := range text {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' {
			n++
		}
	}
	return n > 4 && n > len(text)/20
}
