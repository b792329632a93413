package text

import (
	"bytes"
	"context"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// headBytes is the size of the sample from which delimiter, quote and header are detected.
const headBytes = 1 << 20

// Detect determines how to read a text. Options stated in opt are not detected.
func Detect(ctx context.Context, src sheet.Source, opt sheet.Options, lim sheet.Limits) (*sheet.Dialect, error) {
	head, err := sheet.ReadRange(src, 0, min(src.Size(), headBytes))
	if err != nil {
		return nil, err
	}
	d := &sheet.Dialect{Format: opt.Format}
	if err := setEncoding(ctx, d, src, head, opt); err != nil {
		return nil, err
	}
	// Checked before decoding: binary data is not text in any encoding.
	if charset.HasASCIIControls(d.Encoding) && looksBinary(head) {
		return nil, notTextError()
	}
	whole := int64(len(head)) == src.Size()
	text, err := decodeHead(head[d.BOM:], d.Encoding, whole)
	if err != nil {
		return nil, err
	}
	if whole && len(bytes.TrimSpace(text)) == 0 {
		return nil, emptyFileError()
	}
	if looksBinary(text) {
		return nil, notTextError()
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

func notTextError() error {
	return problem.New(problem.UnsupportedFormat,
		"This file format is not supported. Upload CSV, NDJSON, XLSX or XLS.")
}

func emptyFileError() error { return problem.New(problem.FileEmpty, "The file is empty.") }

// looksBinary reports whether the text contains many control characters, unlike any text. A few
// are reported as errors of their rows.
func looksBinary(text []byte) bool {
	n := 0
	for _, c := range text {
		if c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' {
			n++
		}
	}
	return n > 4 && n > len(text)/20
}
