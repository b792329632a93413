package settings

import (
	"fmt"
	"slices"
	"strings"
)

// AllowsRecipient reports whether mail is sent to an address: its domain is in the settings, and
// the operator has confirmed it.
func (s *Settings) AllowsRecipient(address string) bool {
	return slices.Contains(s.MailDomains, domainOf(address)) && slices.Contains(s.ConfirmedDomains, domainOf(address))
}

// domainOf returns the domain of a mail address, "" without one.
func domainOf(address string) string {
	if at := strings.LastIndexByte(address, '@'); at > 0 {
		return strings.ToLower(address[at+1:])
	}
	return ""
}

// UnconfirmedDomains returns the domains that receive no mail until the operator confirms them.
func (s *Settings) UnconfirmedDomains() []string {
	return slices.DeleteFunc(slices.Clone(s.MailDomains), func(d string) bool { return slices.Contains(s.ConfirmedDomains, d) })
}

// RecipientRule describes the allowed addresses, or returns "" if all of these are allowed.
// mails reports whether the installation sends any mail.
func (s *Settings) RecipientRule(addresses []string, mails bool) string {
	i := slices.IndexFunc(addresses, func(a string) bool { return !s.AllowsRecipient(a) })
	switch {
	case len(addresses) > 0 && !mails:
		return "Omit it: this installation does not send e-mail."
	case i < 0:
		return ""
	case slices.Contains(s.MailDomains, domainOf(addresses[i])):
		return fmt.Sprintf("The domain %s is not confirmed yet. Ask the operator of this installation to confirm it.", domainOf(addresses[i]))
	case len(s.MailDomains) == 0:
		return "The organisation's settings allow no recipients. Ask your administrator to allow an e-mail domain."
	}
	return fmt.Sprintf("The organisation's settings only allow addresses of %s.", strings.Join(s.MailDomains, ", "))
}
