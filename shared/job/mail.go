package job

import (
	"errors"
	"net/mail"
	"slices"
	"strings"
)

// ErrMailRefused is the error of a mail that will never be sent, however often it is retried.
var ErrMailRefused = errors.New("e-mail rejected")

const (
	maxAddresses = 10
	maxAddress   = 254 // bytes per address: RFC 5321, section 4.5.3.1
)

// AddressesRule describes the format of a list of mail addresses.
const AddressesRule = "Up to 10 e-mail addresses, such as ada@example.org."

// AreValidAddresses reports whether list is a valid list of recipients.
func AreValidAddresses(list []string) bool {
	return len(list) <= maxAddresses && !slices.ContainsFunc(list, func(a string) bool { return !isAddress(a) })
}

// isAddress reports whether s is a plain mail address: without a display name, and without
// characters that a header would need encoded.
func isAddress(s string) bool {
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && len(s) <= maxAddress && !strings.ContainsFunc(s, func(c rune) bool { return c > '~' || c <= ' ' })
}
