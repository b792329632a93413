package charset

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
)

// Verdict is the encoding that a file is read in, which is not UTF-8.
type Verdict struct {
	Name string
	// Second is the most probable encoding that reads the file otherwise; "" if none does.
	Second string
	Unsure bool // whether Second may be meant as well
	// Word and SecondWord are a word of the file as either reads it.
	Word, SecondWord string

	margin float64 // by which the second is less probable
}

// Warnings says in which encoding the file is read if that is not certain, with the
// other one and an example. It holds text of the file: it is for the file's owner,
// not for logs.
func (v Verdict) Warnings() []string {
	switch {
	case !v.Unsure:
		return nil
	case v.Second == "":
		return []string{fmt.Sprintf("%s: read as %s, which nothing in the file confirms. State the encoding if it is another one.", problem.WarnEncodingUnsure, v.Name)}
	}
	return []string{fmt.Sprintf("%s: read as %s, where a word is %q; as %s, it would be %q. State the encoding if that is right.",
		problem.WarnEncodingUnsure, v.Name, v.Word, v.Second, v.SecondWord)}
}

// Stated is the verdict on an encoding that the caller has stated: unsure where
// the evidence is sound UTF-8, and would be read otherwise.
func (e *Evidence) Stated(name string) Verdict {
	v := Verdict{Name: name}
	if e.Sound > 0 && e.Stray == 0 && name != UTF8 && wide(name) == nil {
		v.Second, v.Unsure = UTF8, true
		v.example(e.lines)
	}
	return v
}

// maxWord is the most characters of an example.
const maxWord = 40

// example finds a word that the two encodings read differently, the shortest of the
// first few.
func (v *Verdict) example(lines []byte) {
	const looked = 50
	words := bytes.FieldsFunc(lines, func(r rune) bool { return r < utf8.RuneSelf && strings.ContainsRune(" \t\r\n,;\"", r) })
	for _, w := range words[:min(len(words), looked*10)] {
		if beyondASCII(w, 0) == len(w) {
			continue
		}
		first, second := decodeWord(w, v.Name), decodeWord(w, v.Second)
		if first != second && (v.Word == "" || len(first) < len(v.Word)) {
			v.Word, v.SecondWord = first, second
		}
	}
}

// decodeWord is a word in an encoding, cut to what can be shown.
func decodeWord(w []byte, name string) string {
	text := string(w)
	if known := find(name); known != nil {
		if b, err := known.encoding.NewDecoder().Bytes(w); err == nil {
			text = string(b)
		}
	}
	if r := []rune(strings.ToValidUTF8(text, string(utf8.RuneError))); len(r) > maxWord {
		return string(r[:maxWord]) + "…"
	}
	return strings.ToValidUTF8(text, string(utf8.RuneError))
}
