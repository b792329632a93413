package text

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/ianaindex"
	"golang.org/x/text/transform"

	"github.com/loadbay/loadbay/shared/problem"
)

// The encodings that are distinguished without being stated.
const (
	utf8Name    = "utf-8"
	utf16LE     = "utf-16le"
	utf16BE     = "utf-16be"
	utf32LE     = "utf-32le"
	utf32BE     = "utf-32be"
	windows1252 = "windows-1252"
)

// marks are the byte order marks; UTF-32's stand before UTF-16's, which one of
// them begins with.
var marks = []struct{ name, mark string }{
	{utf8Name, "\xEF\xBB\xBF"},
	{utf32LE, "\xFF\xFE\x00\x00"},
	{utf32BE, "\x00\x00\xFE\xFF"},
	{utf16LE, "\xFF\xFE"},
	{utf16BE, "\xFE\xFF"},
}

// mark returns the encoding and the length of the byte order mark in front.
func mark(head []byte) (name string, n int) {
	for _, m := range marks {
		if bytes.HasPrefix(head, []byte(m.mark)) {
			return m.name, len(m.mark)
		}
	}
	return "", 0
}

// unitBytes is how many bytes an ASCII character takes in the encoding.
func unitBytes(name string) int {
	switch name {
	case utf16LE, utf16BE:
		return 2
	case utf32LE, utf32BE:
		return 4
	}
	return 1
}

// canonical is the name under which a stated encoding is kept.
func canonical(name string) (string, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	switch name {
	case utf8Name, "utf8", "utf-8-sig":
		return utf8Name, nil
	case "utf-16":
		return utf16LE, nil
	case "utf-32":
		return utf32LE, nil
	case utf16LE, utf16BE, utf32LE, utf32BE:
		return name, nil
	}
	if _, err := single(name); err != nil {
		return "", err
	}
	return name, nil
}

// single finds any encoding but Unicode's own.
func single(name string) (encoding.Encoding, error) {
	if e, err := htmlindex.Get(name); err == nil && e != encoding.Replacement {
		return e, nil
	}
	if e, err := ianaindex.IANA.Encoding(name); err == nil && e != nil {
		return e, nil
	}
	return nil, problem.New(problem.OptionInvalid, "Loadbay does not know the encoding %q.", name).
		With("encoding", problem.OptionInvalid, "Name an encoding as IANA does, as in utf-8 or windows-1252.")
}

// decoder returns the transformer from the encoding to UTF-8; nil for UTF-8.
func decoder(name string) (transform.Transformer, error) {
	switch name {
	case "", utf8Name:
		return nil, nil
	case utf16LE:
		return wideDecoder{2, binary.LittleEndian}, nil
	case utf16BE:
		return wideDecoder{2, binary.BigEndian}, nil
	case utf32LE:
		return wideDecoder{4, binary.LittleEndian}, nil
	case utf32BE:
		return wideDecoder{4, binary.BigEndian}, nil
	}
	e, err := single(name)
	if err != nil {
		return nil, err
	}
	return strictDecoder{e.NewDecoder().Transformer}, nil
}

// decoded reads src, which is in the encoding, as UTF-8.
func decoded(src io.Reader, name string) (io.Reader, error) {
	t, err := decoder(name)
	if err != nil || t == nil {
		return src, err
	}
	return &encodingErrorReader{transform.NewReader(src, t), name}, nil
}

// encodingErrorReader turns what a decoder refuses into an error of the file.
type encodingErrorReader struct {
	src  io.Reader
	name string
}

func (e *encodingErrorReader) Read(p []byte) (int, error) {
	n, err := e.src.Read(p)
	if err == errInvalidText || err == transform.ErrShortSrc {
		err = problem.New(problem.EncodingInvalid,
			"The file is not sound %s text: it holds bytes that are no characters. Save it as \"CSV UTF-8\", or state its encoding.",
			strings.ToUpper(e.name))
	}
	return n, err
}

// sniff detects the encoding of a text from samples of it, the first of which is
// its beginning. A text in which characters of UTF-8 outnumber stray bytes is
// UTF-8 with an error, which reading reports, and not Windows-1252: taken for
// that, all its accents would be wrong without any error.
func sniff(samples [][]byte, size int64) string {
	head := samples[0]
	if name := sniffWide(head, size); name != "" {
		return name
	}
	sound, stray := 0, 0
	for i, b := range samples {
		if i > 0 {
			b = skipContinuation(b)
		}
		if i > 0 || int64(len(head)) < size {
			b = b[:wholeRunes(b)]
		}
		good, bad := countBeyondASCII(b)
		sound, stray = sound+good, stray+bad
	}
	if stray > sound {
		return windows1252
	}
	return utf8Name
}

// countBeyondASCII counts the characters beyond ASCII, and the bytes that are not
// part of any.
func countBeyondASCII(b []byte) (sound, stray int) {
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			b = b[1:]
			continue
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError && n == 1 {
			stray++
		} else {
			sound++
		}
		b = b[n:]
	}
	return sound, stray
}

// skipContinuation drops the rest of a character that the sample's start cuts.
func skipContinuation(b []byte) []byte {
	for i := 0; i < utf8.UTFMax-1 && len(b) > 0 && !utf8.RuneStart(b[0]); i++ {
		b = b[1:]
	}
	return b
}

// sniffWide recognises UTF-16 and UTF-32 without a mark. In both, the ASCII
// characters that every table has (delimiters, digits, line ends) come with
// zeros on always the same side. One NUL that strayed into a narrow text makes
// an odd character now and then, but no line ends.
func sniffWide(head []byte, size int64) string {
	if bytes.IndexByte(head, 0) < 0 {
		return ""
	}
	for _, name := range []string{utf32LE, utf32BE, utf16LE, utf16BE} {
		t, _ := decoder(name)
		if w := t.(wideDecoder); size%int64(w.unit) == 0 && w.plausible(head) {
			return name
		}
	}
	return ""
}

// plausible reports whether the sample is text when read so: sound characters, a
// tenth of them ASCII, none of them NUL, and line ends if it has such bytes.
func (w wideDecoder) plausible(b []byte) bool {
	total, ascii, ends := 0, 0, 0
	for len(b) >= w.unit {
		r, n := w.rune(b)
		if n == 0 {
			break
		}
		if r == 0 || !utf8.ValidRune(r) {
			return false
		}
		total++
		if r < utf8.RuneSelf {
			ascii++
		}
		if r == '\n' || r == '\r' {
			ends++
		}
		b = b[n:]
	}
	return total > 0 && ascii*10 >= total && (ends > 0 || total == ascii)
}
