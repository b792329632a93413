package value

import (
	"bytes"
	"math"

	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

const (
	// maxDigits is the maximum number of digits on either side of the decimal mark.
	maxDigits = 1000
	// decimalDigits is the maximum number of significant digits of a value on either side of the
	// decimal mark: real quantities never have more, and every database supports as many.
	decimalDigits = 38
	// certainDigits is the number of digits of a binary number that spreadsheet programs display;
	// further digits are noise, as in 0.30000000000000004.
	certainDigits = 15
	// minLossyDigits is the length of the shortest integer whose last digits a binary number cannot
	// represent, so that programs may have lost them.
	minLossyDigits = 17
	// writtenDigits is the number of digits that distinguishes a binary number from every other.
	writtenDigits = 17
)

// decimalNumber is a decimal number: 0.DIGITS × 10^point.
type decimalNumber struct {
	negative bool
	digits   []byte // without zeros at either end; empty for zero
	point    int
}

// Int64 returns the cell as an integer. In a column with an undecided decimal mark, it accepts a
// number that is an integer with only one of the marks: 1,234.
//
// CELL_NUMBER: it is not a number. CELL_RANGE: it does not fit, or is NaN or infinite.
// CELL_PRECISION: it has decimals, or a program has lost some of its digits.
func (d *Decoder) Int64(c sheet.Cell) (int64, problem.Code) {
	if n, ok := parseSmallInt(c.Bytes); ok && (c.Kind == sheet.Text || c.Kind == sheet.Number && (!d.workbook || len(c.Bytes) < minLossyDigits)) {
		return n, ""
	}
	n, code := d.wholeNumber(c)
	switch {
	case code != "":
		return 0, code
	case !n.isWhole():
		return 0, problem.CellPrecision
	case n.point > 19:
		return 0, problem.CellRange
	}
	var u uint64 // 19 digits fit
	for i := range n.point {
		u *= 10
		if i < len(n.digits) {
			u += uint64(n.digits[i] - '0')
		}
	}
	switch {
	case n.negative && u <= -math.MinInt64:
		return -int64(u), ""
	case !n.negative && u <= math.MaxInt64:
		return int64(u), ""
	}
	return 0, problem.CellRange
}

// wholeNumber parses an integer.
func (d *Decoder) wholeNumber(c sheet.Cell) (decimalNumber, problem.Code) {
	if c.Kind != sheet.Text || d.mark != 0 && !d.markAssumed {
		return d.number(c)
	}
	b := trimSpace(c.Bytes)
	n, code := d.parse(b, '.', true)
	withPoint := code == "" && n.isWhole()
	n, code = d.parse(b, ',', true)
	withComma := code == "" && n.isWhole()
	switch {
	case withPoint && withComma && bytes.ContainsAny(b, ".,"): // 1.000
		return decimalNumber{}, problem.CellNumber
	case withComma && d.mark == 0:
		return n, ""
	case withPoint && d.mark == 0:
		return d.parse(b, '.', true)
	}
	return d.number(c)
}

// isWhole reports whether the number has no decimals.
func (n decimalNumber) isWhole() bool { return len(n.digits) <= n.point }

// parseSmallInt is the fast path for integers of up to 18 digits, which are nearly all.
func parseSmallInt(b []byte) (int64, bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	var n int64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// Decimal returns the cell as a decimal number in its shortest form, such as "-1234.5": no
// exponent, no grouping, no redundant zeros. It never uses binary floating point. The text is
// valid until the next call.
//
// The codes are those of Int64, except that decimals are accepted. More than 38 digits on either
// side of the mark are CELL_RANGE.
func (d *Decoder) Decimal(c sheet.Cell) ([]byte, problem.Code) {
	n, code := d.number(c)
	switch {
	case code != "":
		return nil, code
	case n.point > decimalDigits, len(n.digits)-n.point > decimalDigits:
		return nil, problem.CellRange
	}
	d.buf = n.append(d.buf[:0])
	return d.buf, ""
}

func (n decimalNumber) append(dst []byte) []byte {
	if len(n.digits) == 0 {
		return append(dst, '0')
	}
	if n.negative {
		dst = append(dst, '-')
	}
	if n.point <= 0 {
		dst = append(dst, "0."...)
		for range -n.point {
			dst = append(dst, '0')
		}
		return append(dst, n.digits...)
	}
	whole := min(n.point, len(n.digits))
	dst = append(dst, n.digits[:whole]...)
	for range n.point - whole {
		dst = append(dst, '0')
	}
	if whole < len(n.digits) {
		dst = append(append(dst, '.'), n.digits[whole:]...)
	}
	return dst
}

// number parses a number from a cell of any kind.
func (d *Decoder) number(c sheet.Cell) (decimalNumber, problem.Code) {
	switch c = c.AsNumber(); c.Kind {
	case sheet.Empty:
		return decimalNumber{}, problem.CellRequired
	case sheet.ErrorValue:
		return decimalNumber{}, problem.CellError
	case sheet.Formula:
		return decimalNumber{}, problem.CellFormula
	case sheet.Number:
		return d.binary(c.Bytes)
	case sheet.Text:
		b := trimSpace(c.Bytes)
		if len(b) == 0 {
			return decimalNumber{}, problem.CellRequired
		}
		if d.mark == 0 {
			return d.ambiguousNumber(b)
		}
		return d.parse(b, d.mark, true)
	}
	return decimalNumber{}, problem.CellNumber
}

// binary parses a number that the file stores as a number. Workbooks store binary numbers: if there
// are decimals, digits beyond the certain ones are rounded, and an integer with more digits
// than that lacks some.
func (d *Decoder) binary(b []byte) (decimalNumber, problem.Code) {
	n, code := d.parse(b, '.', false)
	if code != "" || !d.workbook || len(n.digits) < certainDigits {
		return n, code
	}
	switch decimals := len(n.digits) > n.point; {
	case decimals && n.point > certainDigits, n.hasLostDigits(b):
		return n, problem.CellPrecision
	case decimals && len(n.digits) > certainDigits:
		n.round(certainDigits)
	}
	return n, ""
}

// hasLostDigits reports whether a workbook's number has probably lost digits: it is an integer that
// is too long for a binary number and comes from one, as shown by its exponent or by the zeros
// that programs store after the 15th typed digit.
func (n decimalNumber) hasLostDigits(written []byte) bool {
	if n.point < minLossyDigits || len(n.digits) > n.point || len(n.digits) < certainDigits {
		return false
	}
	return len(n.digits) == certainDigits || bytes.ContainsAny(written, "eE")
}

// hasBinaryNoise reports whether a number has decimals that only result from its binary form, such
// as 0.30000000000000004.
func (n decimalNumber) hasBinaryNoise() bool {
	return len(n.digits) > n.point && n.point <= certainDigits && len(n.digits) > certainDigits && len(n.digits) <= writtenDigits
}

// round rounds the number to keep digits; it must have more.
func (n *decimalNumber) round(keep int) {
	roundUp := n.digits[keep] >= '5'
	n.digits = n.digits[:keep]
	for i := keep - 1; roundUp && i >= 0; i-- {
		if n.digits[i]++; n.digits[i] <= '9' {
			roundUp = false
		} else {
			n.digits[i] = '0'
		}
	}
	if roundUp { // all digits were nines
		n.digits[0] = '1'
		n.point++
	}
	n.digits = bytes.TrimRight(n.digits, "0")
}

// isNotFinite reports whether the text is NaN or an infinity, which no database column accepts.
func isNotFinite(b []byte) bool {
	for _, word := range []string{"nan", "inf", "infinity", "∞"} {
		if bytes.EqualFold(bytes.TrimLeft(b, "+-"), []byte(word)) {
			return true
		}
	}
	return false
}
