package submit

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/settings"
	"github.com/loadbay/loadbay/shared/storable"
)

const (
	maxLabel   = 100 // characters
	maxNotify  = 10  // addresses
	maxAddress = 254 // bytes of one: RFC 5321, section 4.5.3.1
)

// checkSurroundings checks what a request says of an import besides its file.
func (r *Request) checkSurroundings() error {
	invalid := problem.New(problem.ParameterInvalid, "Some parameters are not valid.")
	if utf8.RuneCountInString(r.Label) > maxLabel || !storable.Text(r.Label) || strings.ContainsFunc(r.Label, unicode.IsControl) || strings.TrimSpace(r.Label) != r.Label {
		invalid.With("label", problem.ParameterInvalid, "Up to 100 characters on one line, without white space around them.")
	}
	if !r.MaxErrors.Valid() {
		invalid.With("maxErrors", problem.ParameterInvalid, job.ErrorLimitRule)
	}
	if len(r.Notify) > maxNotify || slices.ContainsFunc(r.Notify, func(a string) bool { return !isAddress(a) }) {
		invalid.With("notify", problem.ParameterInvalid, "Up to 10 mail addresses, as in ada@example.org.")
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

// isAddress reports whether s is a mail address and nothing else: no name beside it, and
// no characters that a header would need encoded.
func isAddress(s string) bool {
	parsed, err := mail.ParseAddress(s)
	return err == nil && parsed.Address == s && len(s) <= maxAddress && !strings.ContainsFunc(s, func(c rune) bool { return c > '~' || c <= ' ' })
}

// checkTold refuses addresses that the organisation does not want to be told.
func (r *Request) checkTold(own *settings.Settings, mails bool) error {
	if len(r.Notify) > 0 && !mails {
		return problem.New(problem.ParameterInvalid, "This installation sends no mail.").With("notify", problem.ParameterInvalid, "Leave it out.")
	}
	if !slices.ContainsFunc(r.Notify, func(a string) bool { return !own.MayBeTold(a) }) {
		return nil
	}
	rule := "The organisation's settings allow no addresses: see mailDomains in /api/settings."
	if len(own.MailDomains) > 0 {
		rule = fmt.Sprintf("Addresses of %s, as the organisation's settings allow.", strings.Join(own.MailDomains, ", "))
	}
	return problem.New(problem.ParameterInvalid, "Not everybody named in notify may be told.").With("notify", problem.ParameterInvalid, rule)
}
