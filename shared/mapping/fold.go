package mapping

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// digraphs replaces letters as on keyboards that lack them.
var digraphs = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe",
	"Ä", "Ae", "Ö", "Oe", "Ü", "Ue", "Å", "Aa", "Ø", "Oe")

// foldedSpellings returns the foldings of s: "Länge" is "Lange" and also "Laenge".
func foldedSpellings(s string) []string {
	folded := []string{foldText(s)}
	if isASCII(s) {
		return folded
	}
	composed := norm.NFC.String(s)
	if expanded := digraphs.Replace(composed); expanded != composed {
		folded = append(folded, foldText(expanded))
	}
	return folded
}

// foldText removes accents and invisible characters and replaces compatibility forms
// (full width, ligatures, superscripts). It preserves case.
func foldText(s string) string {
	if isASCII(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	for _, r := range norm.NFKD.String(s) {
		switch {
		case r >= 0x300 && r <= 0x36F, unicode.Is(unicode.Cf, r):
			// An accent, or a zero-width or directional character.
		case plainLetter(r) != "":
			b.WriteString(plainLetter(r))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// plainLetter returns the usual replacement of a letter that does not decompose, or "".
func plainLetter(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'ẞ':
		return "SS"
	case 'æ':
		return "ae"
	case 'Æ':
		return "Ae"
	case 'œ':
		return "oe"
	case 'Œ':
		return "Oe"
	case 'ø':
		return "o"
	case 'Ø':
		return "O"
	case 'ł':
		return "l"
	case 'Ł':
		return "L"
	case 'đ', 'ð':
		return "d"
	case 'Đ', 'Ð':
		return "D"
	case 'þ':
		return "th"
	case 'Þ':
		return "Th"
	case 'ı':
		return "i"
	case '’', '‘', 'ʼ':
		return "'"
	default:
		return ""
	}
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
