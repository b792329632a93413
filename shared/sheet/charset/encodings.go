package charset

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/transform"
)

// The Unicode encodings.
const (
	UTF8    = "utf-8"
	UTF16LE = "utf-16le"
	UTF16BE = "utf-16be"
	UTF32LE = "utf-32le"
	UTF32BE = "utf-32be"
)

const iso2022JP = "iso-2022-jp"

// table is a non-Unicode encoding.
type table struct {
	name     string
	encoding encoding.Encoding
	script   script
	// rarity is how much rarer files in this encoding are than others, as a negative logarithm:
	// Windows encodings come from spreadsheet programs, others from older or other systems.
	rarity float64
}

const (
	rarityUsual     = 0.0
	rarityRegional  = 1.0
	rarityUnusual   = 2.0
	rarityExotic    = 3.0
	rarityForgotten = 4.0
)

// tables are the encodings in order of preference, for files that several of them decode to
// the same text.
var tables = []table{
	{"windows-1252", charmap.Windows1252, western, rarityUsual},
	{"windows-1250", charmap.Windows1250, central, rarityUsual},
	{"windows-1251", charmap.Windows1251, cyrillic, rarityUsual},
	{"windows-1253", charmap.Windows1253, greek, rarityUsual},
	{"windows-1254", charmap.Windows1254, turkish, rarityUsual},
	{"windows-1255", charmap.Windows1255, hebrew, rarityUsual},
	{"windows-1256", charmap.Windows1256, arabic, rarityUsual},
	{"windows-1257", charmap.Windows1257, baltic, rarityRegional},
	{"windows-874", charmap.Windows874, thai, rarityUsual},
	{"gb18030", simplifiedchinese.GB18030, simplified, rarityUsual},
	{"shift_jis", japanese.ShiftJIS, kana, rarityUsual},
	{"euc-kr", korean.EUCKR, hangul, rarityUsual},
	{"big5", traditionalchinese.Big5, traditional, rarityUsual},
	{"euc-jp", japanese.EUCJP, kana, rarityUnusual},
	{"koi8-r", charmap.KOI8R, cyrillic, rarityUnusual},
	{"koi8-u", charmap.KOI8U, cyrillic, rarityUnusual},
	{"iso-8859-2", charmap.ISO8859_2, central, rarityUnusual},
	{"iso-8859-15", charmap.ISO8859_15, western, rarityUnusual},
	{"iso-8859-5", charmap.ISO8859_5, cyrillic, rarityUnusual},
	{"iso-8859-7", charmap.ISO8859_7, greek, rarityUnusual},
	{"iso-8859-9", charmap.ISO8859_9, turkish, rarityUnusual},
	{"iso-8859-8", charmap.ISO8859_8, hebrew, rarityUnusual},
	{"iso-8859-6", charmap.ISO8859_6, arabic, rarityUnusual},
	{"iso-8859-13", charmap.ISO8859_13, baltic, rarityExotic},
	{"iso-8859-4", charmap.ISO8859_4, baltic, rarityForgotten + rarityRegional},
	{"macintosh", charmap.Macintosh, western, rarityExotic},
	{"x-mac-cyrillic", charmap.MacintoshCyrillic, cyrillic, rarityExotic},
	{"ibm850", charmap.CodePage850, western, rarityExotic},
	{"ibm852", charmap.CodePage852, central, rarityExotic},
	{"ibm866", charmap.CodePage866, cyrillic, rarityExotic},
	{"ibm437", charmap.CodePage437, western, rarityForgotten},
	{"ibm855", charmap.CodePage855, notDetected, 0},
	{"ibm858", charmap.CodePage858, notDetected, 0},
	{"ibm860", charmap.CodePage860, notDetected, 0},
	{"ibm862", charmap.CodePage862, notDetected, 0},
	{"ibm863", charmap.CodePage863, notDetected, 0},
	{"ibm865", charmap.CodePage865, notDetected, 0},
	{"iso-8859-1", charmap.Windows1252, notDetected, 0}, // as in browsers
	{"iso-8859-3", charmap.ISO8859_3, notDetected, 0},
	{"iso-8859-10", charmap.ISO8859_10, notDetected, 0},
	{"iso-8859-14", charmap.ISO8859_14, notDetected, 0},
	{"iso-8859-16", charmap.ISO8859_16, notDetected, 0},
	{"windows-1258", charmap.Windows1258, notDetected, 0},
	{"gbk", simplifiedchinese.GBK, notDetected, 0},
	{iso2022JP, japanese.ISO2022JP, notDetected, 0},
}

// labels are the labels of encodings that neither HTML nor IANA define.
var labels = map[string]string{
	"utf8": UTF8, "utf-8-sig": UTF8, "utf-16": UTF16LE, "utf16": UTF16LE, "utf-32": UTF32LE, "utf32": UTF32LE,
	"macroman": "macintosh", "mac-roman": "macintosh", "ansi": "windows-1252", "cp874": "windows-874", "cp932": "shift_jis", "windows-932": "shift_jis",
	"cp936": "gbk", "cp949": "euc-kr", "cp950": "big5", "gb2312": "gbk", "big5-hkscs": "big5", "maccyrillic": "x-mac-cyrillic",
	"ascii": UTF8, "us-ascii": UTF8,
}

// CanonicalName returns the canonical name of the encoding with the label, and false if Loadbay
// does not support it. Labels are those of HTML and IANA and the code page names of programs,
// ignoring case, spaces and underscores.
func CanonicalName(label string) (string, bool) {
	label = strings.ToLower(strings.TrimSpace(label))
	for _, l := range []string{label, strings.NewReplacer("_", "-", " ", "-").Replace(label), codePage(label)} {
		if name, ok := lookUpLabel(l); ok {
			return name, true
		}
	}
	return "", false
}

func lookUpLabel(label string) (string, bool) {
	name := cmp.Or(labels[label], label)
	if name == UTF8 || wideTransformer(name) != nil || findTable(name) != nil {
		return name, true
	}
	if e, err := htmlindex.Get(label); err == nil {
		if name, err := htmlindex.Name(e); err == nil && findTable(name) != nil {
			return name, true
		}
	}
	if e, err := ianaindex.IANA.Encoding(label); err == nil && e != nil {
		if i := slices.IndexFunc(tables, func(t table) bool { return t.encoding == e }); i >= 0 {
			return tables[i].name, true
		}
	}
	return "", false
}

// codePage returns the usual label of a code page for other spellings of its number: 1250,
// CP-1250, win1250.
func codePage(label string) string {
	number := strings.TrimLeft(label, "abcdefghijklmnopqrstuvwxyz-_ ")
	switch prefix := strings.TrimRight(strings.TrimSuffix(label, number), "-_ "); {
	case !slices.Contains([]string{"", "cp", "win", "windows", "ibm", "dos", "ms"}, prefix) || number == "":
		return label
	case len(number) == 4 && number[:3] == "125":
		return "windows-" + number
	case number == "65001":
		return UTF8
	}
	for _, prefix := range []string{"ibm", "cp"} {
		if _, ok := lookUpLabel(prefix + number); ok {
			return prefix + number
		}
	}
	return label
}

// canonicalNames returns the names of all supported encodings.
func canonicalNames() []string {
	names := []string{UTF8, UTF16LE, UTF16BE, UTF32LE, UTF32BE}
	for _, t := range tables {
		names = append(names, t.name)
	}
	return names
}

// EncodingRule describes which encodings can be stated.
func EncodingRule() string {
	return "One of " + strings.Join(canonicalNames(), ", ") + "; or another common name of one of them, such as cp1250 or latin2."
}

func findTable(name string) *table {
	for i := range tables {
		if tables[i].name == name {
			return &tables[i]
		}
	}
	return nil
}

// wideTransformer returns the decoder of an encoding with units of more than a byte; nil for others.
func wideTransformer(name string) transform.Transformer {
	switch name {
	case UTF16LE:
		return wideDecoder{2, binary.LittleEndian}
	case UTF16BE:
		return wideDecoder{2, binary.BigEndian}
	case UTF32LE:
		return wideDecoder{4, binary.LittleEndian}
	case UTF32BE:
		return wideDecoder{4, binary.BigEndian}
	}
	return nil
}
