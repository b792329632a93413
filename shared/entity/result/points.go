package result

import (
	"fmt"
	"math/big"
)

// calculator says how points are given. A new one is a line below.
type calculator struct {
	code string
	// table has the points of each position from 1 on; those behind get none.
	table []int64
	// percent gives the winner's time as a percentage of one's own, so that the
	// winner has 100, with that many decimals; 0 decimals with a table.
	percent  bool
	decimals int
}

// noPoints is the code of the calculator that gives none.
const noPoints = "none"

var calculators = []calculator{
	{code: noPoints},
	// The first ten riders of a road race.
	{code: "wpca-road-league", table: []int64{50, 40, 32, 26, 22, 18, 14, 10, 6, 3}},
	// Everybody who arrives, by how far behind.
	{code: "sa-school", percent: true, decimals: 2},
}

// calculatorCodes are what an import can ask for; the first is the default.
func calculatorCodes() []string {
	codes := make([]string, len(calculators))
	for i, c := range calculators {
		codes[i] = c.code
	}
	return codes
}

func calculatorOf(code string) (*calculator, error) {
	for i := range calculators {
		if calculators[i].code == code {
			return &calculators[i], nil
		}
	}
	return nil, fmt.Errorf("there is no points calculator %q", code)
}

// points are what somebody gets who arrived, as a decimal number; "" for none.
// Times are in milliseconds, 0 where they are not known.
func (c *calculator) points(position, time, winner int64) string {
	switch {
	case c.percent && time > 0 && winner > 0:
		return new(big.Rat).SetFrac64(100*winner, time).FloatString(c.decimals)
	case position >= 1 && position <= int64(len(c.table)):
		return fmt.Sprint(c.table[position-1])
	case len(c.table) > 0:
		return "0"
	}
	return ""
}
