package transform

import (
	"math/big"
	"slices"
	"strings"
	"unicode"
)

// unit is a unit of measurement.
type unit struct {
	quantity string // units of one quantity can be converted into each other
	base     string // value in the base unit of the quantity, as a decimal number; "" if the word has several meanings
	words    string // in headers, in lower case
}

// units are the known units by their symbols.
var units = map[string]unit{
	"mg":  {"mass", "0.000001", "mg mgs milligram milligrams milligramm milligramme milligrammes miligramo miligramos"},
	"g":   {"mass", "0.001", "g gr grs gm gms gram grams gramm gramme grammes gramo gramos grammo grammi"},
	"kg":  {"mass", "1", "kg kgs kilo kilos kilogram kilograms kilogramm kilogramme kilogrammes kilogramo kilogramos chilogrammo chilogrammi"},
	"q":   {"mass", "100", "quintal quintals qtl qtls"},
	"t":   {"mass", "1000", "t tonne tonnes tonnen tonelada toneladas tonnellata tonnellate mt"},
	"ton": {"mass", "", "ton tons"}, // 1,000, 907.18474 or 1,016.0469088 kg
	"lb":  {"mass", "0.45359237", "lb lbs pound pounds"},
	"oz":  {"mass", "0.028349523125", "oz ounce ounces"},
	"mm":  {"length", "0.001", "mm millimetre millimetres millimeter millimeters"},
	"cm":  {"length", "0.01", "cm cms centimetre centimetres centimeter centimeters zentimeter"},
	"m":   {"length", "1", "m metre metres meter meters"},
	"km":  {"length", "1000", "km kms kilometre kilometres kilometer kilometers"},
	"in":  {"length", "0.0254", "inch inches"},
	"ft":  {"length", "0.3048", "ft foot feet"},
	"mi":  {"length", "1609.344", "mi mile miles"},
	"ms":  {"time", "0.001", "ms millisecond milliseconds"},
	"s":   {"time", "1", "s sec secs second seconds sekunden secondes segundos"},
	"min": {"time", "60", "min mins minute minutes minuten minutos"},
	"h":   {"time", "3600", "h hr hrs hour hours stunden heures horas"},
}

// FindUnits returns the symbols of the units of the same quantity that a header names, in order.
func FindUnits(header, symbol string) (found []string) {
	quantity := units[symbol].quantity
	for _, word := range unitWords(header) {
		for name, u := range units {
			if u.quantity == quantity && slices.Contains(strings.Fields(u.words), word) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	return found
}

// unitWords splits a header at everything that is no letter and before capitals, as in "weightKG".
func unitWords(header string) []string {
	var split strings.Builder
	small := false
	for _, r := range header {
		switch {
		case !unicode.IsLetter(r):
			r = ' '
		case small && unicode.IsUpper(r):
			split.WriteByte(' ')
		}
		small = unicode.IsLower(r)
		split.WriteRune(unicode.ToLower(r))
	}
	return strings.Fields(split.String())
}

// Factor converts numbers from one unit to another, exactly.
type Factor struct {
	by       *big.Rat
	decimals int // of by
}

// NewFactor returns the factor from one unit to another. ok is false if a unit is unknown or not
// exactly convertible.
func NewFactor(from, to string) (f *Factor, ok bool) {
	a, b := units[from], units[to]
	if a.quantity == "" || a.quantity != b.quantity {
		return nil, false
	}
	base, ok := new(big.Rat).SetString(a.base)
	other, also := new(big.Rat).SetString(b.base)
	if !ok || !also {
		return nil, false
	}
	f = &Factor{by: base.Quo(base, other)}
	f.decimals, ok = f.by.FloatPrec()
	return f, ok
}

// Apply returns the product of the factor and a number in decimal notation; ok is false if the text
// is no number.
func (f *Factor) Apply(number []byte) (product []byte, ok bool) {
	_, fraction, _ := strings.Cut(string(number), ".")
	n, ok := new(big.Rat).SetString(string(number))
	if !ok {
		return nil, false
	}
	text := n.Mul(n, f.by).FloatString(f.decimals + len(fraction))
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return []byte(text), true
}

// ConvertedUnit returns the unit from which the steps convert, or "".
func ConvertedUnit(steps []Step) string {
	for i := range steps {
		if steps[i].Op == Convert {
			return steps[i].Unit
		}
	}
	return ""
}
