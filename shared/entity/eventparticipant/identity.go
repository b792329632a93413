package eventparticipant

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/loadbay/loadbay/shared/entity"
)

// identity is what is known about who a person is, from a row or from the database.
type identity struct {
	name                 entity.PersonName
	first, last          string // for comparison
	number, email, entry string // identity number in lower case, address, registration number
	born                 string // Postgres's binary date, or ""
}

func rowIdentity(b *entity.Batch, i int) identity {
	born, _ := b.Columns[birthDate].Bytes(i)
	return newIdentity(
		entity.PersonName{First: b.Columns[firstName].String(i), Last: b.Columns[lastName].String(i)},
		b.Columns[identityNumber].String(i), b.Columns[email].String(i), b.Columns[registrationNumber].String(i), born)
}

func newIdentity(name entity.PersonName, number, email, entry string, born []byte) identity {
	return identity{
		name: name, first: fold(name.First), last: fold(name.Last),
		number: strings.ToLower(number), email: email, entry: entry, born: string(born),
	}
}

// fold returns a name for comparison: composed, in lower case and without surplus spaces.
func fold(name string) string {
	return norm.NFC.String(strings.ToLower(strings.Join(strings.Fields(name), " ")))
}

// key returns the key that identifies the person in the organisation.
func (a *identity) key() string {
	return entity.PersonKey(a.number, a.email, a.name.First, a.name.Last, []byte(a.born))
}

// ownKey returns a key for a person with the address, or the name and birth date, of another one.
func (a *identity) ownKey() string {
	return fmt.Sprintf("%s|%s|%s|%x", entity.PersonKey("", a.email, "", "", nil), a.first, a.last, a.born)
}

// sameName reports whether the names differ only in case and spaces.
func (a *identity) sameName(b *identity) bool { return a.first == b.first && a.last == b.last }

func same(a, b string) bool     { return a != "" && a == b }
func conflict(a, b string) bool { return a != "" && b != "" && a != b }

// isSamePerson reports whether two identities are one person: by the identity number, or by two
// things that together belong to one person. Relatives share an address, a last name, and twins the
// birth date, so with an address a name may be corrected but not replaced.
func (a *identity) isSamePerson(b *identity) bool {
	switch {
	case a.number != "" && b.number != "":
		return a.number == b.number
	case a.sameName(b) && (same(a.entry, b.entry) || same(a.born, b.born)):
		return true
	case !same(a.email, b.email) || conflict(a.born, b.born) && (conflict(a.entry, b.entry) || !a.sameName(b)):
		return false
	case a.first == b.first:
		return resembles(a.last, b.last) || same(a.entry, b.entry) || same(a.born, b.born)
	}
	return a.last == b.last && resembles(a.first, b.first)
}

// mayBeSamePerson reports whether two identities have something in common that several people may
// share, or differ in the identity number alone. A name is not enough if the birth date and another
// value differ: large events have many people of one name.
func (a *identity) mayBeSamePerson(b *identity) bool {
	if conflict(a.number, b.number) {
		return a.sameName(b) && (same(a.email, b.email) || same(a.born, b.born))
	}
	isNamesake := conflict(a.born, b.born) && (conflict(a.email, b.email) || conflict(a.entry, b.entry))
	return same(a.email, b.email) || a.sameName(b) && !isNamesake || same(a.born, b.born) && (a.first == b.first || a.last == b.last)
}

// equals reports whether two identities have the same values, except for the registration number.
func (a *identity) equals(b *identity) bool {
	return a.sameName(b) && a.number == b.number && a.email == b.email && a.born == b.born
}

// agreement rates how much two identities have in common, for people who are both the same person
// by isSamePerson.
func (a *identity) agreement(b *identity) int {
	n := 0
	for _, value := range []struct {
		agrees bool
		weight int
	}{{same(a.number, b.number), 64}, {same(a.email, b.email), 8}, {a.sameName(b), 8}, {a.last == b.last, 4}, {a.first == b.first, 2}} {
		if value.agrees {
			n += value.weight
		}
	}
	for _, values := range [][2]string{{a.born, b.born}, {a.entry, b.entry}} {
		switch {
		case same(values[0], values[1]):
			n += 8
		case conflict(values[0], values[1]):
			n -= 3
		}
	}
	return n
}

// resembles reports whether one name may be a correction of the other: they are equal, one is the
// beginning of the other, or they differ in one letter, two if they are long.
func resembles(a, b string) bool {
	if a == b || len(a) >= 2 && strings.HasPrefix(b, a) || len(b) >= 2 && strings.HasPrefix(a, b) {
		return true
	}
	x, y := []rune(a), []rune(b)
	allowed := 1
	if min(len(x), len(y)) >= 6 {
		allowed = 2
	}
	return max(len(x), len(y)) >= 3 && editsWithin(x, y, allowed)
}

// editsWithin reports whether at most n insertions, deletions and substitutions turn a into b.
func editsWithin(a, b []rune, n int) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	switch {
	case len(a) == 0 || len(b) == 0:
		return max(len(a), len(b)) <= n
	case n == 0:
		return false
	}
	return editsWithin(a[1:], b[1:], n-1) || editsWithin(a[1:], b, n-1) || editsWithin(a, b[1:], n-1)
}
