package charset

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
)

// Detection is the encoding that a file is read in, which is not UTF-8.
type Detection struct {
	Name string
	// Second is the most probable encoding that reads the file otherwise; "" if none does.
	Alternative string
	Unsure      bool // whether Second may be meant as well
	// Word and AlternativeWord are a word of the file as either reads it.
	Word, AlternativeWord string

	margin float64 // by which the second is less probable
}

// Warnings says in which encoding the file is read if that is not certain, with the
// other one and an example. It holds text of the file: it is for the file's owner,
// not for logs.
func (v Detection) Warnings() []string {
	switch {
	case !v.Unsure:
		return nil
	case v.Alternative == "":
		return []string{fmt.Sprintf("%s: read as %s, which nothing in the file confirms. State the encoding if it is another one.", problem.EncodingUnsure, v.Name)}
	}
	return []string{fmt.Sprintf("%s: read as %s, where a word is %q; as %s, it would be %q. State the encoding if that is right.",
		problem.EncodingUnsure, v.Name, v.Word, v.Alternative, v.AlternativeWord)}
}

// CheckStated is the verdict on an encoding that the caller has stated: unsure where
// the evidence is sound UTF-8, and would be read otherwise.
func (e *Evidence) CheckStated(name string) Detection {
	v := Detection{Name: name}
	if e.ValidRunes > 0 && e.InvalidBytes == 0 && name != UTF8 && wideTransformer(name) == nil {
		v.Alternative, v.Unsure = UTF8, true
		v.findExample(e.lines)
	}
	return v
}

// maxWord is the most characters of an example.
const maxWord = 40

// findExample finds a word that the two encodings read differently, the shortest of the
// first few.
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

// decodeWord is a word in an encoding, cut to what can be shown.
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
