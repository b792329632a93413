package transform

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/currency"
)

// The parts that a strip removes.
const (
	stripCurrency   = "currency"
	stripUnit       = "unit"
	stripApostrophe = "apostrophe"
)

func (s *Step) strip() (runner, error) {
	switch s.What {
	case stripCurrency:
		return alwaysFits(withoutCurrency), nil
	case stripUnit:
		return alwaysFits(withoutUnit), nil
	case stripApostrophe:
		return alwaysFits(withoutApostrophes), nil
	}
	return nil, errors.New("what must be currency, unit or apostrophe")
}

// withoutCurrency removes a currency's sign, code or customary word from both ends of an amount:
// "₹1,500.00", "EUR 12", "12.- CHF".
func withoutCurrency(text string) string {
	trimmed := strings.TrimSpace(text)
	start := strings.IndexFunc(trimmed, amountStart)
	end := strings.LastIndexFunc(trimmed, unicode.IsDigit)
	if start < 0 || end < start {
		return text
	}
	for end++; end < len(trimmed) && (trimmed[end] == '.' || trimmed[end] == ',' || trimmed[end] == ')'); end++ {
	}
	if !isCurrency(trimmed[:start]) || !isCurrency(trimmed[end:]) {
		return text
	}
	return trimmed[start:end]
}

func amountStart(r rune) bool {
	return unicode.IsDigit(r) || r == '-' || r == '+' || r == '(' || r == '\u2212'
}

// isCurrency reports whether a text is empty or denotes a currency.
func isCurrency(text string) bool {
	text = strings.Trim(strings.TrimSpace(text), ".-")
	if text == "" {
		return true
	}
	if r, size := utf8.DecodeLastRuneInString(text); unicode.Is(unicode.Sc, r) {
		return size == len(text) || len(text)-size <= 3 // US$, R$
	}
	if r, size := utf8.DecodeRuneInString(text); unicode.Is(unicode.Sc, r) && len(text)-size <= 3 {
		return true
	}
	if currencyWords[strings.ToLower(text)] {
		return true
	}
	_, err := currency.ParseISO(text)
	return err == nil
}

// currencyWords are ways to write a currency other than its sign or code.
var currencyWords = map[string]bool{
	"rs": true, "kr": true, "fr": true, "sfr": true, "zł": true, "kč": true, "ft": true, "лв": true, "руб": true, "euro": true, "lei": true, "r": true,
}

// withoutUnit removes the unit after a number: "12 kg", "37.5 °C", "80%".
func withoutUnit(text string) string {
	trimmed := strings.TrimSpace(text)
	if start := strings.IndexFunc(trimmed, amountStart); start != 0 {
		return text
	}
	end := strings.LastIndexFunc(trimmed, func(r rune) bool { return r >= '0' && r <= '9' })
	if end < 0 {
		return text
	}
	// The digits of m2 belong to the unit, which begins with the first letter.
	if letter := strings.IndexFunc(trimmed, unitStart); letter >= 0 && letter < end {
		end = strings.LastIndexFunc(trimmed[:letter], unicode.IsDigit)
	}
	return trimmed[:end+1]
}

func unitStart(r rune) bool { return unicode.IsLetter(r) || r == '%' || r == '°' || r == '‰' }

// withoutApostrophes removes the apostrophe with which spreadsheet programs mark text, and those
// between the digits of a number.
func withoutApostrophes(text string) string {
	text = strings.TrimPrefix(text, "'")
	var out strings.Builder
	last := rune(0)
	for i, r := range text {
		if r == '\'' || r == '’' {
			next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
			if unicode.IsDigit(last) && unicode.IsDigit(next) {
				continue
			}
		}
		out.WriteRune(r)
		last = r
	}
	return out.String()
}
