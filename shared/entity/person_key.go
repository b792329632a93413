package entity

import (
	"encoding/hex"
	"strings"
)

// emailKeyPrefix is the prefix of the keys of people who are identified only by an e-mail
// address, which several people may share.
const emailKeyPrefix = "email:"

// PersonKey returns the key that identifies a person: by identity number, else by e-mail address,
// else by name and date of birth. Unknown values are ""; born is the date in Postgres's binary
// format, or nil.
func PersonKey(number, email, firstName, lastName string, born []byte) string {
	switch {
	case number != "":
		return "id:" + strings.ToLower(number)
	case email != "":
		return emailKeyPrefix + email
	}
	return strings.ToLower("name:"+firstName+"|"+lastName+"|") + hex.EncodeToString(born)
}

// IsWeakKey reports whether the key does not identify a person by itself: the name must match too.
func IsWeakKey(key string) bool { return strings.HasPrefix(key, emailKeyPrefix) }

// PersonName is a name in its original spelling.
type PersonName struct{ First, Last string }

func (n PersonName) String() string { return strings.Join(strings.Fields(n.First+" "+n.Last), " ") }

// Normalised returns the name for comparison: in lower case and without surplus spaces.
func (n PersonName) Normalised() string { return strings.ToLower(n.String()) }

// EqualFold reports whether two names differ only in case and spaces.
func (n PersonName) EqualFold(other PersonName) bool { return n.Normalised() == other.Normalised() }
