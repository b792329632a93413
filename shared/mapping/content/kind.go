// Package content tells what the values of a column are by themselves, whatever its
// header says: mail addresses, days, phone numbers, countries. It is pure logic over
// texts; which field a kind of values speaks for or against is the matching's matter.
package content

import "math/bits"

// Kind is what a value can be, as a set: "1" is a number, and can be a truth value too.
type Kind uint16

// The kinds, the most telling first.
const (
	UUID Kind = 1 << iota
	Email
	URL
	Timestamp // a day with a time
	Date
	Phone   // with a plus, a zero or brackets in front, or in groups of digits
	Postal  // with a letter, a gap or a hyphen in it: digits alone can be anything
	Country // a name in one of the languages of package country, or a code in capitals
	Integer
	Decimal
	Boolean // in words; 0 and 1 are numbers
)

// kindCount is how many there are.
const kindCount = 11

// Unknown is what people are told of values that are of no Kind.
const Unknown = "text"

var kindNames = [kindCount]string{"uuid", "email", "url", "timestamp", "date", "phone", "postalCode", "country", "integer", "decimal", "boolean"}

// Has reports whether the set has one of the kinds.
func (k Kind) Has(of Kind) bool { return k&of != 0 }

// String is the name of the most telling kind of the set, as on the wire.
func (k Kind) String() string {
	if k == 0 {
		return Unknown
	}
	return kindNames[bits.TrailingZeros16(uint16(k))]
}
