// Package points provides the calculators that compute the points of race results: the built-in
// ones, and the validation of an organisation's own.
package points

import (
	"fmt"
	"math/big"
	"slices"
)

// Calculator defines how points are computed.
type Calculator struct {
	Code string `json:"code"` // "sa-school"
	// ClassName is an alternative name: the fully qualified name of the Java class by which other
	// programs know the calculator; or "".
	ClassName   string `json:"className,omitempty"`
	Description string `json:"about,omitempty"`
	// Table lists the points of each position from 1 on; later positions get none.
	Table []int64 `json:"table,omitempty"`
	// Percent computes the winner's time as a percentage of the participant's time, so that the
	// winner has 100, with Decimals decimals. Decimals is 0 with a table.
	Percent  bool `json:"percent,omitempty"`
	Decimals int  `json:"decimals,omitempty"`
}

// None is the code of the calculator that awards no points.
const None = "none"

// Points returns the points of a participant who finished, as a decimal number; "" for none.
// Times are in milliseconds, 0 if unknown.
func (c *Calculator) Points(position, time, winner int64) string {
	switch {
	case c.Percent && time > 0 && winner > 0:
		return new(big.Rat).SetFrac64(100*winner, time).FloatString(c.Decimals)
	case position >= 1 && position <= int64(len(c.Table)):
		return fmt.Sprint(c.Table[position-1])
	case len(c.Table) > 0:
		return "0"
	}
	return ""
}

// Find returns the calculator with the code, or nil.
func Find(all []Calculator, code string) *Calculator {
	i := slices.IndexFunc(all, func(c Calculator) bool { return c.Code == code })
	if i < 0 {
		return nil
	}
	return &all[i]
}
