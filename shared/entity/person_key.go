package entity

import (
	"encoding/hex"
	"strings"
)

// emailKeyPrefix begins the keys of people who are known by nothing better than an
// e-mail address, which several may share.
const emailKeyPrefix = "email:"

// PersonKey is how a person is recognised, best evidence first: by identity
// number, by e-mail address, else by name and date of birth. Values that are not
// known are ""; born is the date in Postgres's binary form, or nil.
func PersonKey(number, email, firstName, lastName string, born []byte) string {
	switch {
	case number != "":
		return "id:" + strings.ToLower(number)
	case email != "":
		return emailKeyPrefix + email
	}
	return strings.ToLower("name:"+firstName+"|"+lastName+"|") + hex.EncodeToString(born)
}

// IsWeakKey reports whether the key alone does not say who a person is: the name
// must agree.
func IsWeakKey(key string) bool { return strings.HasPrefix(key, emailKeyPrefix) }

// PersonName is a name as people write it.
type PersonName struct{ First, Last string }

func (n PersonName) String() string { return strings.Join(strings.Fields(n.First+" "+n.Last), " ") }

// Normalised is the name for comparison: in lower case and without surplus spaces.
func (n PersonName) Normalised() string { return strings.ToLower(n.String()) }

// EqualFold reports whether two names differ in nothing but case and spaces.
func (n PersonName) EqualFold(other PersonName) bool { return n.Normalised() == other.Normalised() }
