package settings

import (
	"fmt"
	"slices"
	"strings"
)

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
