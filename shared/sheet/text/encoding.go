package text

import (
	"bytes"
	"context"
	"io"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// setEncoding settles encoding and byte order mark. A mark is believed before
// what was stated: it is never written by mistake.
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

// applyStatedEncoding takes the encoding that the caller has stated, and says so where the
// file's beginning is sound UTF-8: read as anything else, its accents would be wrong.
func applyStatedEncoding(d *sheet.Dialect, head []byte, label string) error {
	name, ok := charset.CanonicalName(label)
	if !ok {
		return problem.New(problem.OptionInvalid, "Loadbay does not know the encoding %.40q.", label).
			With("encoding", problem.OptionInvalid, charset.EncodingRule())
	}
	d.Encoding = name
	var found charset.Evidence
	found.Add(head[:wholeRunes(head)])
	d.Warnings = append(d.Warnings, found.CheckStated(name).Warnings()...)
	return nil
}

// scanEncoding collects what tells the encoding. It ends where the file shows to be
// UTF-8, which is at its first accents; a file that is not is looked through to its end, so
// that one decision holds for all of it, wherever its first accent is.
func scanEncoding(ctx context.Context, src sheet.Source) (*charset.Evidence, error) {
	found, r := new(charset.Evidence), sheet.ReadFrom(src, 0)
	block := make([]byte, min(src.Size()+1, headBytes)) // one more, to see the end at once
	rest := 0                                           // bytes of a line that is not whole, at the block's beginning
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
			whole = wholeRunes(block[:n]) // one line as long as a block
		}
		found.Add(block[:whole])
		if found.ValidRunes > 0 && found.InvalidBytes == 0 {
			return found, nil
		}
		rest = copy(block, block[whole:n])
	}
}

// decodeHead is the file's beginning as UTF-8, without a last character that the
// sample cuts.
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
