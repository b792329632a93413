package rowview

import (
	"slices"
	"strings"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
	"github.com/loadbay/loadbay/shared/sheet/charset"
)

// EncodingEvidence is the basis on which a text's encoding was determined.
type EncodingEvidence string

// The kinds of evidence.
const (
	EncodingMarked   EncodingEvidence = "MARK"     // the file begins with a byte order mark
	EncodingStated   EncodingEvidence = "STATED"   // stated by the caller
	EncodingDetected EncodingEvidence = "DETECTED" // its bytes are only valid, or only likely, in this encoding
	EncodingUnsure   EncodingEvidence = "UNSURE"   // its bytes are likely in another encoding too, which is in the import's warnings
)

// NewEncodingEvidence returns the basis of the dialect's encoding for a file that was read with
// these options; "" for workbooks.
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
