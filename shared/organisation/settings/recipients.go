package settings

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"
)

const (
	maxAddresses = 10
	maxAddress   = 254 // bytes of one: RFC 5321, section 4.5.3.1
)

// AddressesRule says what a list of mail addresses must be.
const AddressesRule = "Up to 10 mail addresses, as in ada@example.org."

// AreValidAddresses reports whether that is what a list of people to be told is.
func AreValidAddresses(list []string) bool {
	return len(list) <= maxAddresses && !slices.ContainsFunc(list, func(a string) bool { return !isAddress(a) })
}

// isAddress reports whether s is a mail address and nothing else: no name beside it, and
// no characters that a header would need encoded.
func isAddress(s string) bool {
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && len(s) <= maxAddress && !strings.ContainsFunc(s, func(c rune) bool { return c > '~' || c <= ' ' })
}

// AllowsRecipient reports whether a mail address is of a domain that may be told of imports.
func (s *Settings) AllowsRecipient(address string) bool {
	at := strings.LastIndexByte(address, '@')
	return at > 0 && slices.Contains(s.MailDomains, strings.ToLower(address[at+1:]))
}

// RecipientRule says which addresses there may be instead of these, or "" where all of them may
// be told. mails says whether the installation sends any mail.
func (s *Settings) RecipientRule(addresses []string, mails bool) string {
	switch {
	case len(addresses) > 0 && !mails:
		return "Leave it out: this installation sends no mail."
	case !slices.ContainsFunc(addresses, func(a string) bool { return !s.AllowsRecipient(a) }):
		return ""
	case len(s.MailDomains) == 0:
		return "The organisation's settings allow no addresses: see mailDomains in /api/settings."
	}
	return fmt.Sprintf("Addresses of %s, as the organisation's settings allow.", strings.Join(s.MailDomains, ", "))
}
