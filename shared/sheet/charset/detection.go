package charset

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
)

// Detection is the detected encoding of a file that is not UTF-8.
type Detection struct {
	Name string
	// Alternative is the most probable encoding that decodes the file differently, or "".
	Alternative string
	Unsure      bool // whether Alternative is also likely
	// Word and AlternativeWord are a word of the file decoded with each encoding.
	Word, AlternativeWord string

	margin float64 // log-likelihood difference to Alternative
}

// Warnings reports an uncertain encoding together with the alternative and an example. The
// warning contains text of the file: it is for the file's owner, not for logs.
func (v Detection) Warnings() []string {
	switch {
	case !v.Unsure:
		return nil
	case v.Alternative == "":
		return []string{fmt.Sprintf("%s: read as %s, but the file does not confirm this. Set the encoding if it is wrong.", problem.EncodingUnsure, v.Name)}
	}
	return []string{fmt.Sprintf("%s: read as %s, with the word %q; as %s, it would be %q. Set the encoding if that is right.",
		problem.EncodingUnsure, v.Name, v.Word, v.Alternative, v.AlternativeWord)}
}

// CheckStated checks the encoding that the caller has stated: it is unsure if the evidence is
// valid UTF-8 and would be decoded differently.
func (e *Evidence) CheckStated(name string) Detection {
	v := Detection{Name: name}
	if e.ValidRunes > 0 && e.InvalidBytes == 0 && name != UTF8 && wideTransformer(name) == nil {
		v.Alternative, v.Unsure = UTF8, true
		v.findExample(e.lines)
	}
	return v
}

// maxWord is the maximum number of characters of an example.
const maxWord = 40

// findExample finds a word that the two encodings decode differently, the shortest of the first
// few.
func (v *Detection) findExample(lines []byte) {
	const looked = 50
	words := bytes.FieldsFunc(lines, func(r rune) bool { return r < utf8.RuneSelf && strings.ContainsRune(" \t\r\n,;\"", r) })
	for _, w := range words[:min(len(words), looked*10)] {
		if beyondASCII(w, 0) == len(w) {
			continue
		}
		first, second := decodeWord(w, v.Name), decodeWord(w, v.Alternative)
		if first != second && (v.Word == "" || len(first) < len(v.Word)) {
			v.Word, v.AlternativeWord = first, second
		}
	}
}

// decodeWord decodes a word and truncates it for display.
func decodeWord(w []byte, name string) string {
	text := string(w)
	if known := findTable(name); known != nil {
		if b, err := known.encoding.NewDecoder().Bytes(w); err == nil {
			text = string(b)
		}
	}
	if r := []rune(strings.ToValidUTF8(text, string(utf8.RuneError))); len(r) > maxWord {
		return string(r[:maxWord]) + "…"
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError))
}
