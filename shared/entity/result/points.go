package result

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
)

// calculator says how points are given.
type calculator struct {
	Code        string `json:"code"`
	Description string `json:"about"`
	// Table has the points of each position from 1 on; those behind get none.
	Table []int64 `json:"table"`
	// Percent gives the winner's time as a percentage of one's own, so that the
	// winner has 100, with that many Decimals; 0 decimals with a table.
	Percent  bool `json:"percent"`
	Decimals int  `json:"decimals"`
}

// noPoints is the code of the calculator that gives none.
const noPoints = "none"

// pointsFile has the calculators and says where their figures come from. A new one,
// or an organisation's own figures, are a change of this file only.
//
//go:embed points.json
var pointsFile string

var calculators = mustRead(pointsFile)

// mustRead panics where the file that the program was built with is not valid: no
// such program passes its tests.
func mustRead(file string) []calculator {
	read, err := readCalculators([]byte(file))
	if err != nil {
		panic(err)
	}
	return read
}

// readCalculators returns the calculators of a file, behind the one that gives no points.
func readCalculators(file []byte) ([]calculator, error) {
	var doc struct {
		Provenance  string       `json:"provenance"`
		Calculators []calculator `json:"calculators"`
	}
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("points calculators: %w", err)
	}
	if doc.Provenance == "" {
		return nil, errors.New("points calculators: say where the figures come from")
	}
	all := []calculator{{Code: noPoints}}
	for _, c := range doc.Calculators {
		known := slices.ContainsFunc(all, func(other calculator) bool { return other.Code == c.Code })
		if err := c.validate(); err != nil || known || c.Code == "" {
			return nil, errors.Join(fmt.Errorf("points calculator %q has no code of its own, or no way to give points", c.Code), err)
		}
		all = append(all, c)
	}
	return all, nil
}

// validate wants either a table, whose figures never rise, or percentages.
func (c *calculator) validate() error {
	switch {
	case c.Percent == (len(c.Table) > 0):
		return errors.New("a table or percentages, one of them")
	case c.Decimals < 0 || c.Decimals > 6 || !c.Percent && c.Decimals > 0:
		return errors.New("0 to 6 decimals, and with percentages only")
	case !slices.IsSortedFunc(c.Table, func(a, b int64) int { return int(b - a) }) || len(c.Table) > 0 && c.Table[len(c.Table)-1] < 0:
		return errors.New("points that never rise and are not negative")
	}
	return nil
}

// calculatorCodes are what an import can ask for; the first is the default.
func calculatorCodes() []string {
	codes := make([]string, len(calculators))
	for i, c := range calculators {
		codes[i] = c.Code
	}
	return codes
}

func calculatorOf(code string) (*calculator, error) {
	for i := range calculators {
		if calculators[i].Code == code {
			return &calculators[i], nil
		}
	}
	return nil, fmt.Errorf("there is no points calculator %q", code)
}

// points of a participant who finished, as a decimal number; "" for none.
// Times are in milliseconds, 0 where they are not known.
func (c *calculator) points(position, time, winner int64) string {
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
