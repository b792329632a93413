package points

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
)

// builtInJSON contains the built-in calculators and the sources of their figures. An
// organisation's own figures are in its settings, under the same code or another.
//
//go:embed builtin.json
var builtInJSON string

var builtInCalculators = mustReadCalculators(builtInJSON)

// BuiltIn returns the calculators of every organisation, None first.
func BuiltIn() []Calculator { return builtInCalculators }

// mustReadCalculators panics if the embedded file is invalid: a test reads the file.
func mustReadCalculators(file string) []Calculator {
	read, err := readCalculators([]byte(file))
	if err != nil {
		panic(err)
	}
	return read
}

// readCalculators returns None, followed by the calculators in a file.
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
		return nil, errors.New("points calculators: missing source of figures")
	}
	if err := Validate(doc.Calculators); err != nil {
		return nil, fmt.Errorf("points calculators: %w", err)
	}
	return append([]Calculator{{Code: None}}, doc.Calculators...), nil
}
