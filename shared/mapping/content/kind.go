// Package content detects the kind of a column's values independently of its header: mail
// addresses, dates, phone numbers, countries. It is pure logic over texts; the matching
// decides which field a kind of values supports or contradicts.
package content

import "math/bits"

// Kind is the set of possible kinds of a value: "1" is a number, and can be a boolean too.
type Kind uint16

// The kinds, the most specific first.
const (
	UUID Kind = 1 << iota
	Email
	URL
	Timestamp // a date with a time
	Date
	Phone   // with a leading plus, zero or bracket, or in groups of digits
	Postal  // with a letter, a gap or a hyphen: digits alone are ambiguous
	Country // a name in one of the languages of package country, or a code in capitals
	Integer
	Decimal
	Boolean // as words; 0 and 1 are numbers
)

// kindCount is the number of kinds.
const kindCount = 11

// Unknown is the name shown for values without a Kind.
const Unknown = "text"

var kindNames = [kindCount]string{"uuid", "email", "url", "timestamp", "date", "phone", "postalCode", "country", "integer", "decimal", "boolean"}

// Has reports whether the set contains one of the kinds.
func (k Kind) Has(of Kind) bool { return k&of != 0 }

// String returns the API name of the most specific kind of the set.
func (k Kind) String() string {
	if k == 0 {
		return Unknown
	}
	return kindNames[bits.TrailingZeros16(uint16(k))]
}
