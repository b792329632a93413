package settings

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"
)

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

// AllowsRecipient reports whether the domain of a mail address is allowed for recipients.
func (s *Settings) AllowsRecipient(address string) bool {
	at := strings.LastIndexByte(address, '@')
	return at > 0 && slices.Contains(s.MailDomains, strings.ToLower(address[at+1:]))
}

// RecipientRule describes the allowed addresses, or returns "" if all of these are allowed.
// mails reports whether the installation sends any mail.
func (s *Settings) RecipientRule(addresses []string, mails bool) string {
	switch {
	case len(addresses) > 0 && !mails:
		return "Omit it: this installation does not send e-mail."
	case !slices.ContainsFunc(addresses, func(a string) bool { return !s.AllowsRecipient(a) }):
		return ""
	case len(s.MailDomains) == 0:
		return "The organisation's settings allow no recipients. Ask your administrator to allow an e-mail domain."
	}
	return fmt.Sprintf("The organisation's settings only allow addresses of %s.", strings.Join(s.MailDomains, ", "))
}
