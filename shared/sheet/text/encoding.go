package text

import (
	"bytes"
	"context"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// setEncoding determines encoding and byte order mark. A mark takes precedence over a stated
// encoding: it is never written by mistake.
func setEncoding(ctx context.Context, d *sheet.Dialect, src sheet.Source, head []byte, opt sheet.Options) error {
	if d.Encoding, d.BOM = charset.ByteOrderMark(head); d.Encoding != "" {
		return nil
	}
	if opt.Encoding != "" {
		return applyStatedEncoding(d, head, opt.Encoding)
	}
	if d.Encoding = charset.DetectUnmarked(head, src.Size()); d.Encoding != "" {
		return nil
	}
	found, err := scanEncoding(ctx, src)
	if err != nil {
		return err
	}
	d.Encoding = charset.UTF8
	if found.InvalidBytes > found.ValidRunes {
		verdict := found.Detect()
		if assumed, known := charset.CanonicalName(opt.Assume.Encoding); known && verdict.Unsure {
			d.Encoding = assumed
			return nil
		}
		d.Encoding = verdict.Name
		d.Warnings = append(d.Warnings, verdict.Warnings()...)
	}
	return nil
}

// applyStatedEncoding uses the encoding that the caller has stated, and adds a warning if the
// file's beginning is valid UTF-8: with another encoding, its accents would be wrong.
func applyStatedEncoding(d *sheet.Dialect, head []byte, label string) error {
	name, ok := charset.CanonicalName(label)
	if !ok {
		return problem.New(problem.OptionInvalid, "The encoding %.40q is not supported.", label).
			With("encoding", problem.OptionInvalid, charset.EncodingRule())
	}
	d.Encoding = name
	var found charset.Evidence
	found.Add(head[:wholeRunes(head)])
	d.Warnings = append(d.Warnings, found.CheckStated(name).Warnings()...)
	return nil
}

// scanEncoding collects evidence for the encoding. It stops once the file turns out to be UTF-8,
// at its first accents. Any other file is scanned to its end, so that one decision applies to the
// whole file, wherever its first accent is.
func scanEncoding(ctx context.Context, src sheet.Source) (*charset.Evidence, error) {
	found, r := new(charset.Evidence), sheet.ReadFrom(src, 0)
	block := make([]byte, min(src.Size()+1, headBytes)) // one byte more, to detect the end immediately
	rest := 0                                           // bytes of an incomplete line at the beginning of the block
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(r, block[rest:])
		n += rest
		switch err {
		case nil:
		case io.EOF, io.ErrUnexpectedEOF:
			found.Add(block[:n])
			return found, nil
		default:
			return nil, err
		}
		whole := bytes.LastIndexAny(block[:n], "\r\n") + 1
		if whole == 0 {
			whole = wholeRunes(block[:n]) // a line as long as a block
		}
		found.Add(block[:whole])
		if found.ValidRunes > 0 && found.InvalidBytes == 0 {
			return found, nil
		}
		rest = copy(block, block[whole:n])
	}
}

// decodeHead decodes the file's beginning into UTF-8, without a truncated last character.
func decodeHead(head []byte, encoding string, whole bool) ([]byte, error) {
	if unit := charset.UnitBytes(encoding); !whole {
		head = head[:len(head)-len(head)%unit]
	}
	r, err := charset.NewReader(bytes.NewReader(head), encoding)
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(r)
	if err != nil && (whole || len(text) < len(head)/8) {
		return nil, err
	}
	return text, nil
}
