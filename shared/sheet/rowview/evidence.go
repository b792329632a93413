package rowview

import (
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// EncodingEvidence is what it rests on that a text is in its encoding.
type EncodingEvidence string

// The kinds of evidence.
const (
	EncodingMarked   EncodingEvidence = "MARK"     // the file begins with a byte order mark
	EncodingStated   EncodingEvidence = "STATED"   // the caller has said so
	EncodingDetected EncodingEvidence = "DETECTED" // its bytes are possible in no other, or likely in this one alone
	EncodingUnsure   EncodingEvidence = "UNSURE"   // they are likely in another one too: the import's warnings say in which
)

// NewEncodingEvidence says what it rests on that a file of that dialect, which was read by those
// options, is in its encoding; "" for workbooks.
func NewEncodingEvidence(d *sheet.Dialect, o sheet.Options) EncodingEvidence {
	switch {
	case !d.Format.IsText():
		return ""
	case d.BOM > 0 && (d.Encoding != charset.UTF8 || d.BOM == len("\uFEFF")):
		return EncodingMarked
	case o.Encoding != "":
		return EncodingStated
	case slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.HasPrefix(w, string(problem.EncodingUnsure)) }):
		return EncodingUnsure
	}
	return EncodingDetected
}
