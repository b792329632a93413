package value

import (
	"bytes"

	"github.com/loadbay/loadbay/shared/problem"
)

// numeralParser parses a number as people write it:
//
//	[+-−] digits, in groups of three if at all [mark digits] [e [+-] digits]
//
// Groups are separated by a comma or a point (whichever is not the mark), a space (also a narrow
// or non-breaking one) or an apostrophe, always by the same one. Currency and percent signs are
// rejected, because their effect on the number is ambiguous.
type numeralParser struct {
	rest   []byte
	mark   byte
	groups bool // whether grouping is allowed
	digits []byte
	point  int
	any    bool // whether there was any digit
}

// parse parses a whole cell as a number.
func (d *Decoder) parse(b []byte, mark byte, groups bool) (decimalNumber, problem.Code) {
	s := numeralParser{rest: b, mark: mark, groups: groups, digits: d.digits[:0]}
	negative := s.sign()
	exponent, ok := 0, s.whole()
	if ok {
		s.fraction()
		exponent, ok = s.exponent()
	}
	d.digits = s.digits
	if !ok || !s.any || len(s.rest) > 0 {
		if isNotFinite(b) {
			return decimalNumber{}, problem.CellRange
		}
		return decimalNumber{}, problem.CellNumber
	}
	n := decimalNumber{negative: negative, digits: bytes.TrimRight(s.digits, "0")}
	if len(n.digits) == 0 {
		return decimalNumber{}, ""
	}
	n.point = s.point + exponent
	if n.point > maxDigits || len(n.digits)-n.point > maxDigits {
		return decimalNumber{}, problem.CellRange
	}
	return n, ""
}

func (s *numeralParser) sign() (negative bool) {
	if after, ok := bytes.CutPrefix(s.rest, []byte("−")); ok {
		s.rest = after
		return true
	}
	if len(s.rest) > 0 && (s.rest[0] == '-' || s.rest[0] == '+') {
		negative = s.rest[0] == '-'
		s.rest = s.rest[1:]
	}
	return negative
}

// whole parses the digits before the mark, and their groups.
func (s *numeralParser) whole() bool {
	first := s.rest
	run, sep := s.run(), []byte(nil)
	for s.groups && run > 0 {
		next := s.separator()
		if next == nil {
			break
		}
		if sep == nil && (run > 3 || first[0] == '0') || sep != nil && !bytes.Equal(sep, next) {
			return false
		}
		sep = next
		s.rest = s.rest[len(sep):]
		if run = s.run(); run != 3 {
			return false
		}
	}
	s.point = len(s.digits)
	return true
}

// run parses digits, and returns their number. Leading zeros of the number are skipped.
func (s *numeralParser) run() int {
	n := 0
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		if c := s.rest[n]; c != '0' || len(s.digits) > 0 {
			s.digits = append(s.digits, c)
		}
		n++
	}
	s.rest = s.rest[n:]
	s.any = s.any || n > 0
	return n
}

// groupSeparators are the possible separators of groups.
var groupSeparators = [...]string{",", ".", " ", "'", "\u00A0", "\u202F", "\u2009", "\u2019"}

// separator returns the separator that comes next, or nil.
func (s *numeralParser) separator() []byte {
	for _, sep := range groupSeparators {
		if sep[0] != s.mark && bytes.HasPrefix(s.rest, []byte(sep)) {
			return s.rest[:len(sep)]
		}
	}
	return nil
}

// fraction parses the mark and the digits after it.
func (s *numeralParser) fraction() {
	if len(s.rest) == 0 || s.rest[0] != s.mark {
		return
	}
	s.rest = s.rest[1:]
	zeros := 0
	if len(s.digits) == 0 { // zeros after the mark move the point
		for zeros < len(s.rest) && s.rest[zeros] == '0' {
			zeros++
		}
		s.any = s.any || zeros > 0
		s.rest = s.rest[zeros:]
		s.point = -zeros
	}
	s.run()
}

// exponent parses a power of ten, if there is one.
func (s *numeralParser) exponent() (int, bool) {
	if len(s.rest) == 0 || s.rest[0]|0x20 != 'e' {
		return 0, true
	}
	s.rest = s.rest[1:]
	negative := s.sign()
	n, count := 0, 0
	for count < len(s.rest) && s.rest[count] >= '0' && s.rest[count] <= '9' {
		n = min(n*10+int(s.rest[count]-'0'), 1e6)
		count++
	}
	s.rest = s.rest[count:]
	if negative {
		n = -n
	}
	return n, count > 0
}

// ambiguousNumber parses a number of a file with an unknown decimal mark. It is CELL_NUMBER if a
// decimal point and a decimal comma result in different numbers, as for 1.234.
func (d *Decoder) ambiguousNumber(b []byte) (decimalNumber, problem.Code) {
	_, withPoint := d.parse(b, '.', true)
	n, withComma := d.parse(b, ',', true)
	switch {
	case withComma != "":
		return d.parse(b, '.', true)
	case withPoint == "" && bytes.ContainsAny(b, ".,"):
		return decimalNumber{}, problem.CellNumber
	}
	return n, ""
}
