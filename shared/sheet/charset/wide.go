package charset

import (
	"encoding/binary"
	"errors"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/transform"
)

// errInvalidText reports bytes that are invalid in their encoding.
var errInvalidText = errors.New("bytes are not valid in the encoding")

// wideDecoder decodes UTF-16 and UTF-32. Unlike the decoders of x/text, it rejects invalid
// characters instead of replacing them silently.
type wideDecoder struct {
	unit  int // bytes: 2 or 4
	order binary.ByteOrder
}

func (wideDecoder) Reset() {}

// Transform implements transform.Transformer.
func (w wideDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	for nSrc < len(src) {
		if w.unit == 2 && nSrc+2 <= len(src) && nDst < len(dst) { // most characters of a table are ASCII
			if u := w.order.Uint16(src[nSrc:]); u < utf8.RuneSelf {
				dst[nDst] = byte(u)
				nDst, nSrc = nDst+1, nSrc+2
				continue
			}
		}
		r, n := w.rune(src[nSrc:])
		if n == 0 {
			if atEOF {
				return nDst, nSrc, errInvalidText
			}
			return nDst, nSrc, transform.ErrShortSrc
		}
		if !utf8.ValidRune(r) {
			return nDst, nSrc, errInvalidText
		}
		if nDst+utf8.RuneLen(r) > len(dst) {
			return nDst, nSrc, transform.ErrShortDst
		}
		nDst += utf8.EncodeRune(dst[nDst:], r)
		nSrc += n
	}
	return nDst, nSrc, nil
}

// rune decodes one character and returns its length, which is 0 if b ends too early.
func (w wideDecoder) rune(b []byte) (rune, int) {
	if len(b) < w.unit {
		return 0, 0
	}
	if w.unit == 4 {
		u := w.order.Uint32(b)
		if u > utf8.MaxRune {
			return -1, 4
		}
		return rune(u), 4
	}
	r := rune(w.order.Uint16(b))
	if !utf16.IsSurrogate(r) {
		return r, 2
	}
	if len(b) < 4 {
		return 0, 0
	}
	if r = utf16.DecodeRune(r, rune(w.order.Uint16(b[2:]))); r == utf8.RuneError {
		return -1, 2
	}
	return r, 4
}

// strictDecoder rejects the replacement characters that the decoders of x/text return for unknown
// bytes.
type strictDecoder struct{ transform.Transformer }

func (s strictDecoder) Transform(dst, src []byte, atEOF bool) (nDst, nSrc int, err error) {
	nDst, nSrc, err = s.Transformer.Transform(dst, src, atEOF)
	if i := indexReplacement(dst[:nDst]); i >= 0 {
		return i, nSrc, errInvalidText
	}
	return nDst, nSrc, err
}

func indexReplacement(b []byte) int {
	for i := 0; i+2 < len(b); i++ {
		if b[i] == 0xEF && b[i+1] == 0xBF && b[i+2] == 0xBD {
			return i
		}
	}
	return -1
}
