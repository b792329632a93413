package expression

import (
	"errors"
	"math/big"
	"reflect"
	"regexp"

	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
)

// decimalType is the type of exact decimal numbers. CEL has only binary floating-point numbers, which
// cannot hold amounts such as 0.1.
var decimalType = types.NewOpaqueType("decimal").WithTraits(
	traits.AdderType | traits.SubtractorType | traits.MultiplierType | traits.DividerType | traits.NegatorType | traits.ComparerType)

// decimal is an exact number. Whole numbers can be the other operand.
type decimal struct{ *big.Rat }

// maxDigits and maxBits bound the work that a number can cause.
const (
	maxDigits = 1_000
	maxBits   = 4_000
)

var decimalPattern = regexp.MustCompile(`^[+-]?\d+(\.\d+)?$`)

// parseDecimal returns a number in decimal notation.
func parseDecimal(text string) (decimal, error) {
	if len(text) > maxDigits || !decimalPattern.MatchString(text) {
		return decimal{}, errors.New("a number is not in decimal notation, such as 9.95")
	}
	number, _ := new(big.Rat).SetString(text)
	return decimal{number}, nil
}

// decimalOf returns the number of an operand.
func decimalOf(v ref.Val) (*big.Rat, bool) {
	switch v := v.(type) {
	case decimal:
		return v.Rat, true
	case types.Int:
		return new(big.Rat).SetInt64(int64(v)), true
	}
	return nil, false
}

// operate applies an operation of big.Rat.
func (d decimal) operate(other ref.Val, operation func(z *big.Rat, x, y *big.Rat) *big.Rat) ref.Val {
	number, ok := decimalOf(other)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	result := operation(new(big.Rat), d.Rat, number)
	if result.Num().BitLen() > maxBits || result.Denom().BitLen() > maxBits {
		return types.NewErr("a number has too many digits")
	}
	return decimal{result}
}

// Add implements traits.Adder.
func (d decimal) Add(other ref.Val) ref.Val { return d.operate(other, (*big.Rat).Add) }

// Subtract implements traits.Subtractor.
func (d decimal) Subtract(other ref.Val) ref.Val { return d.operate(other, (*big.Rat).Sub) }

// Multiply implements traits.Multiplier.
func (d decimal) Multiply(other ref.Val) ref.Val { return d.operate(other, (*big.Rat).Mul) }

// Divide implements traits.Divider.
func (d decimal) Divide(other ref.Val) ref.Val {
	if number, ok := decimalOf(other); ok && number.Sign() == 0 {
		return types.NewErr("division by zero")
	}
	return d.operate(other, (*big.Rat).Quo)
}

// Negate implements traits.Negater.
func (d decimal) Negate() ref.Val { return decimal{new(big.Rat).Neg(d.Rat)} }

// Compare implements traits.Comparer.
func (d decimal) Compare(other ref.Val) ref.Val {
	number, ok := decimalOf(other)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Int(d.Cmp(number))
}

// Equal implements ref.Val.
func (d decimal) Equal(other ref.Val) ref.Val {
	number, ok := decimalOf(other)
	return types.Bool(ok && d.Cmp(number) == 0)
}

// round returns the number with at most the given number of decimals; halves are rounded away from
// zero.
func (d decimal) round(places int64) ref.Val {
	if places < 0 || places > 100 {
		return types.NewErr("round to 0 to 100 decimals")
	}
	rounded, _ := new(big.Rat).SetString(d.FloatString(int(places)))
	return decimal{rounded}
}

// text returns the number in decimal notation; an error if it has infinitely many decimals.
func (d decimal) text() (string, error) {
	places, exact := d.FloatPrec()
	if !exact {
		return "", errors.New("the result has infinitely many decimals; use round(x, 2)")
	}
	return d.FloatString(places), nil
}

// ConvertToNative implements ref.Val.
func (d decimal) ConvertToNative(reflect.Type) (any, error) {
	return nil, errors.New("a decimal has no native type")
}

// ConvertToType implements ref.Val.
func (d decimal) ConvertToType(t ref.Type) ref.Val {
	switch t.TypeName() {
	case decimalType.TypeName():
		return d
	case types.TypeType.TypeName():
		return decimalType
	}
	return types.NewErr("a decimal cannot be converted to %s", t.TypeName())
}

// Type implements ref.Val.
func (decimal) Type() ref.Type { return decimalType }

// Value implements ref.Val.
func (d decimal) Value() any { return d.Rat }
