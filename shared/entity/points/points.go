// Package points has the calculators by which results of races get points: those that are
// built in, and what an organisation's own must be like.
package points

import (
	"fmt"
	"math/big"
	"slices"
)

// Calculator says how points are given.
type Calculator struct {
	Code string `json:"code"` // "sa-school"
	// ClassName is another name for it: the fully qualified one of a Java class, by which
	// other programs know it; or "".
	ClassName   string `json:"className,omitempty"`
	Description string `json:"about,omitempty"`
	// Table has the points of each position from 1 on; those behind get none.
	Table []int64 `json:"table,omitempty"`
	// Percent gives the winner's time as a percentage of one's own, so that the
	// winner has 100, with that many Decimals; 0 decimals with a table.
	Percent  bool `json:"percent,omitempty"`
	Decimals int  `json:"decimals,omitempty"`
}

// None is the code of the calculator that gives no points.
const None = "none"

// Points of a participant who finished, as a decimal number; "" for none.
// Times are in milliseconds, 0 where they are not known.
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

// Find returns the calculator of that code among some, or nil.
func Find(all []Calculator, code string) *Calculator {
	i := slices.IndexFunc(all, func(c Calculator) bool { return c.Code == code })
	if i < 0 {
		return nil
	}
	return &all[i]
}
