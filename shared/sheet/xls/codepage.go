package xls

import (
	"bytes"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/loadbay/loadbay/shared/problem"
)

// codepage decodes the strings of BIFF5, which are bytes in the encoding of the machine that wrote
// them. If its number has neither an encoding nor a table, it decodes only ASCII.
type codepage struct {
	id       uint16
	isStated bool // whether the workbook states it
	encoding encoding.Encoding
	upper    []rune // the characters 0x80 to 0xff
}

// assumedCodepage is used for a workbook that does not state one; book.Detect adds a warning (see
// Warnings).
var assumedCodepage = codepage{id: 1252, encoding: charmap.Windows1252}

// newCodepage returns the code page with that number ([MS-XLS] 2.4.52).
func newCodepage(id uint16) codepage {
	return codepage{id: id, isStated: true, encoding: encodings[id], upper: []rune(upperHalves[id])}
}

// encodings are the code pages in golang.org/x/text. The East Asian ones of the Mac equal those of
// Windows except for a few signs.
var encodings = map[uint16]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 858: charmap.CodePage858,
	860: charmap.CodePage860, 862: charmap.CodePage862, 863: charmap.CodePage863, 865: charmap.CodePage865, 866: charmap.CodePage866,
	874: charmap.Windows874, 932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
	1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258,
	10000: charmap.Macintosh, 10001: japanese.ShiftJIS, 10002: traditionalchinese.Big5, 10003: korean.EUCKR,
	10007: charmap.MacintoshCyrillic, 10008: simplifiedchinese.GBK, 10017: charmap.MacintoshCyrillic,
	32768: charmap.Macintosh, 32769: charmap.Windows1252, 65001: unicode.UTF8,
}

// append appends text as UTF-8; invalid characters become U+FFFD. Text beyond ASCII in an unknown
// page is ENCODING_INVALID.
func (c codepage) append(dst, text []byte) ([]byte, error) {
	switch {
	case isASCII(text):
		return append(dst, text...), nil
	case len(c.upper) > 0:
		return c.appendUpper(dst, text), nil
	case c.encoding == nil:
		return dst, problem.New(problem.EncodingInvalid,
			"The workbook uses code page %d, which is not supported. Save it as .xlsx and try again.", c.id)
	}
	decoded, err := c.encoding.NewDecoder().Bytes(text)
	if err != nil {
		decoded = bytes.ToValidUTF8(text, []byte(string(utf8.RuneError)))
	}
	return append(dst, decoded...), nil
}

func (c codepage) appendUpper(dst, text []byte) []byte {
	for _, b := range text {
		if b < utf8.RuneSelf {
			dst = append(dst, b)
		} else {
			dst = utf8.AppendRune(dst, c.upper[b-utf8.RuneSelf])
		}
	}
	return dst
}

func isASCII(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
