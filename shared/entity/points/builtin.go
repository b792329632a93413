package points

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
)

// builtInJSON has the calculators that are built in and says where their figures come
// from. An organisation's own figures are in its settings, under the same code or another.
//
//go:embed builtin.json
var builtInJSON string

var builtInCalculators = mustReadCalculators(builtInJSON)

// BuiltIn are the calculators that every organisation has, behind None.
func BuiltIn() []Calculator { return builtInCalculators }

// mustReadCalculators panics where the file that the program was built with is not valid: no
// such program passes its tests.
func mustReadCalculators(file string) []Calculator {
	read, err := readCalculators([]byte(file))
	if err != nil {
		panic(err)
	}
	return read
}

// readCalculators returns the calculators of a file, behind the one that gives no points.
func readCalculators(file []byte) ([]Calculator, error) {
	var doc struct {
		Provenance  string       `json:"provenance"`
		Calculators []Calculator `json:"calculators"`
	}
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("points calculators: %w", err)
	}
	if doc.Provenance == "" {
		return nil, errors.New("points calculators: say where the figures come from")
	}
	if err := Validate(doc.Calculators); err != nil {
		return nil, fmt.Errorf("points calculators: %w", err)
	}
	return append([]Calculator{{Code: None}}, doc.Calculators...), nil
}
