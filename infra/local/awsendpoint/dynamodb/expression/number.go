package expression

import (
	"math/big"
	"strconv"
	"strings"
)

// Bounds of a number.
const (
	maxDigits   = 38
	maxExponent = 125 // of its first digit
	minExponent = -130
)

// decimal is digits × 10^exponent, digits without trailing zeros.
type decimal struct {
	digits   *big.Int
	exponent int
}

// canonicalNumber returns a number as DynamoDB gives it back: plain digits without
// leading or trailing zeros.
func canonicalNumber(text string) (string, error) {
	d, err := parseNumber(text)
	if err != nil {
		return "", err
	}
	return d.String(), nil
}

func parseNumber(text string) (decimal, error) {
	bad := validationError("The parameter cannot be converted to a numeric value: %s", text)
	mantissa, exponent := text, 0
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		var err error
		mantissa = text[:i]
		if exponent, err = strconv.Atoi(text[i+1:]); err != nil {
			return decimal{}, bad
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	unsigned := strings.TrimLeft(whole, "+-")
	if len(whole)-len(unsigned) > 1 || unsigned+fraction == "" || strings.Trim(unsigned+fraction, "0123456789") != "" {
		return decimal{}, bad
	}
	digits, ok := new(big.Int).SetString(whole+fraction, 10)
	if !ok {
		return decimal{}, bad
	}
	return newDecimal(digits, exponent-len(fraction))
}

// newDecimal takes trailing zeros off and checks the bounds.
func newDecimal(digits *big.Int, exponent int) (decimal, error) {
	if digits.Sign() == 0 {
		return decimal{digits: digits}, nil
	}
	text := digits.String()
	significant := strings.TrimRight(text, "0")
	exponent += len(text) - len(significant)
	digits.SetString(significant, 10)
	count := len(strings.TrimPrefix(significant, "-"))
	first := exponent + count - 1
	switch {
	case count > maxDigits:
		return decimal{}, validationError("Attempting to store more than 38 significant digits in a Number")
	case first > maxExponent:
		return decimal{}, validationError("Number overflow. Attempting to store a number with magnitude larger than supported range")
	case first < minExponent:
		return decimal{}, validationError("Number underflow. Attempting to store a number with magnitude smaller than supported range")
	}
	return decimal{digits: digits, exponent: exponent}, nil
}

// String writes the number without an exponent.
func (d decimal) String() string {
	text, negative := strings.CutPrefix(d.digits.String(), "-")
	sign := ""
	if negative {
		sign = "-"
	}
	switch point := len(text) + d.exponent; {
	case d.exponent >= 0:
		return sign + text + strings.Repeat("0", d.exponent)
	case point > 0:
		return sign + text[:point] + "." + text[point:]
	default:
		return sign + "0." + strings.Repeat("0", -point) + text
	}
}

// alignDecimals returns the digits of both at the lower of their exponents.
func alignDecimals(a, b decimal) (x, y *big.Int, exponent int) {
	exponent = min(a.exponent, b.exponent)
	return a.scaled(exponent), b.scaled(exponent), exponent
}

func (d decimal) scaled(exponent int) *big.Int {
	factor := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.exponent-exponent)), nil)
	return factor.Mul(factor, d.digits)
}

// compareNumbers orders two numbers that shortest has written.
func compareNumbers(a, b string) int {
	x, y, _ := alignDecimals(mustParseNumber(a), mustParseNumber(b))
	return x.Cmp(y)
}

// addNumbers returns a+b, or a-b.
func addNumbers(a, b string, subtract bool) (string, error) {
	x, y, exponent := alignDecimals(mustParseNumber(a), mustParseNumber(b))
	if subtract {
		y.Neg(y)
	}
	sum, err := newDecimal(x.Add(x, y), exponent)
	if err != nil {
		return "", err
	}
	return sum.String(), nil
}

// mustParseNumber reads what shortest has written; a Value has no other numbers.
func mustParseNumber(text string) decimal {
	d, err := parseNumber(text)
	if err != nil {
		panic("expression: a number in a value: " + err.Error())
	}
	return d
}
