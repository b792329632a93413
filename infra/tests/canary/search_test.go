package canary

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
)

// finding is a needle in a place.
type finding struct {
	needle, place string
	context       string
}

func (f finding) String() string { return fmt.Sprintf("%s: …%s…", f.place, f.context) }

// mayHoldKeys reports whether the place may contain the key of a dropped file.
func (f finding) mayHoldKeys() bool {
	for _, prefix := range []string{"object key drop/", "object key drop-quarantine/", "object key results/", "call s3 ", "call enqueue SendMessage", "call drop SendMessage", "file aws.db: s3-events"} {
		if strings.HasPrefix(f.place, prefix) {
			return true
		}
	}
	return false
}

// mayNameColumns reports whether the place may contain the names of unused columns, as events do.
func (f finding) mayNameColumns() bool {
	return strings.HasPrefix(f.place, "call ") && strings.HasSuffix(f.place, " PutEvents")
}

type findings []finding

func (f findings) needlesIn(needle string) findings {
	return slices.DeleteFunc(slices.Clone(f), func(f finding) bool { return f.needle != needle })
}

func (f findings) places() (places []string) {
	for _, f := range f {
		places = append(places, f.place)
	}
	return places
}

// contextLength is the length of the text shown around a finding.
const contextLength = 80

// findNeedles searches a text for needles: unchanged, in other letter case, and in base64.
func findNeedles(place string, text []byte, needles []string) (found findings) {
	lower := lowerASCII(text)
	for _, n := range needles {
		all := occurrences(lower, []byte(n))
		for _, coded := range base64Forms(n) {
			all = append(all, occurrences(text, coded)...)
		}
		for _, at := range all {
			around := text[max(0, at-contextLength):min(len(text), at+len(n)+contextLength)]
			found = append(found, finding{needle: n, place: place, context: fmt.Sprintf("%q", around)})
		}
	}
	return found
}

// lowerASCII returns the text in lower case and with the same length, even if it is
// not UTF-8. Needles contain only ASCII letters.
func lowerASCII(text []byte) []byte {
	lower := bytes.Clone(text)
	for i, c := range lower {
		if 'A' <= c && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return lower
}

// occurrences returns the positions of a substring in a text.
func occurrences(text, of []byte) (at []int) {
	for from := 0; ; {
		next := bytes.Index(text[from:], of)
		if next < 0 {
			return at
		}
		at = append(at, from+next)
		from += next + len(of)
	}
}

// base64Forms returns the base64 forms of a needle for each alignment in the surrounding
// text: only the middle, which does not depend on the adjacent bytes.
func base64Forms(n string) (coded [][]byte) {
	for before := range 3 {
		whole := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", before) + n))
		coded = append(coded, []byte(whole[4:len(whole)-4]))
	}
	return coded
}
