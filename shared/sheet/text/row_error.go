package text

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/problem"
)

// checkUTF8 records the first invalid UTF-8 in the last block. A character that crosses the end
// of the block is checked with the next one.
func (s *scanner) checkUTF8() {
	if !s.utf8 {
		return
	}
	end := len(s.buf)
	if !s.eof {
		end = wholeRunes(s.buf)
	}
	if end <= s.checked {
		return
	}
	if !utf8.Valid(s.buf[s.checked:end]) {
		s.badAt = s.checked + firstInvalid(s.buf[s.checked:end])
		s.utf8 = false // the first one is enough
	}
	s.checked = end
}

// wholeRunes returns the length of b without a truncated last character.
func wholeRunes(b []byte) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return i
			}
			break
		}
	}
	return len(b)
}

func firstInvalid(b []byte) int {
	for i := 0; i < len(b); {
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(b)
}

// checkRow returns the error that the row in buf[start:end] is for the whole file, if any. It is
// the slow path for a row that is open, long or invalid UTF-8. A row with a cell that is too long
// has the error FIELD_TOO_LARGE itself.
func (s *scanner) checkRow(start, end int) error {
	row := s.number + 1
	switch {
	case end > s.badAt:
		return problem.New(problem.EncodingInvalid,
			"Row %d is not UTF-8. Save the file as \"CSV UTF-8\", or set its encoding.", row)
	case s.openAt >= 0 && !s.hasQuoteAfter(start+maxRowBytes):
		return problem.New(problem.FileCorrupt,
			"The file ends inside a quoted cell. The quote opened in row %d is not closed.", row)
	case s.openAt >= 0:
		return problem.New(problem.FieldTooLarge,
			"A quoted cell in row %d is longer than %d MiB. Is its quote closed?", row, maxRowBytes>>20)
	case end-start > maxRowBytes:
		return problem.New(problem.FieldTooLarge, "Row %d is longer than %d MiB.", row, maxRowBytes>>20)
	case end-start > s.limit && s.measure.longest(s.buf[start:end], s.quoted) > s.limit:
		s.large = true
	}
	return nil
}

// hasQuoteAfter reports whether a quote follows at or after i. It reads the source to its end; the
// scanner does not continue anyway.
func (s *scanner) hasQuoteAfter(i int) bool {
	if bytes.IndexByte(s.buf[min(i, len(s.buf)):], s.quote) >= 0 {
		return true
	}
	block := make([]byte, blockBytes)
	for !s.eof {
		n, err := io.ReadFull(s.src, block)
		if bytes.IndexByte(block[:n], s.quote) >= 0 {
			return true
		}
		s.eof = err != nil
	}
	return false
}
