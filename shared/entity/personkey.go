package entity

import (
	"encoding/hex"
	"strings"
)

// PersonKey is how a person is recognised, best evidence first: by identity
// number, by e-mail address, else by name and date of birth. Values that are not
// known are ""; born is the date in Postgres's binary form, or nil.
func PersonKey(number, email, firstName, lastName string, born []byte) string {
	switch {
	case number != "":
		return "id:" + strings.ToLower(number)
	case email != "":
		return "email:" + email
	}
	return strings.ToLower("name:"+firstName+"|"+lastName+"|") + hex.EncodeToString(born)
}
