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
)

// codepage decodes the strings of BIFF5, which are bytes in the encoding of
// the machine that wrote them.
type codepage struct{ encoding encoding.Encoding }

// windows1252 is what is assumed where a workbook does not say.
var windows1252 = codepage{charmap.Windows1252}

// codepageOf is the encoding of that number ([MS-XLS] 2.4.52).
func codepageOf(id uint16) codepage {
	switch id {
	case 437:
		return codepage{charmap.CodePage437}
	case 850:
		return codepage{charmap.CodePage850}
	case 852:
		return codepage{charmap.CodePage852}
	case 866:
		return codepage{charmap.CodePage866}
	case 874:
		return codepage{charmap.Windows874}
	case 932:
		return codepage{japanese.ShiftJIS}
	case 936:
		return codepage{simplifiedchinese.GBK}
	case 949:
		return codepage{korean.EUCKR}
	case 950:
		return codepage{traditionalchinese.Big5}
	case 1250:
		return codepage{charmap.Windows1250}
	case 1251:
		return codepage{charmap.Windows1251}
	case 1253:
		return codepage{charmap.Windows1253}
	case 1254:
		return codepage{charmap.Windows1254}
	case 1255:
		return codepage{charmap.Windows1255}
	case 1256:
		return codepage{charmap.Windows1256}
	case 1257:
		return codepage{charmap.Windows1257}
	case 1258:
		return codepage{charmap.Windows1258}
	case 10000, 32768:
		return codepage{charmap.Macintosh}
	case 10007:
		return codepage{charmap.MacintoshCyrillic}
	}
	return windows1252
}

// append appends text as UTF-8; what the encoding does not know is U+FFFD.
func (c codepage) append(dst, text []byte) []byte {
	if ascii(text) {
		return append(dst, text...)
	}
	decoded, err := c.encoding.NewDecoder().Bytes(text)
	if err != nil {
		decoded = bytes.ToValidUTF8(text, []byte(string(utf8.RuneError)))
	}
	return append(dst, decoded...)
}

func ascii(text []byte) bool {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
