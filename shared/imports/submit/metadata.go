package submit

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
)

const maxLabel = 100 // characters

// checkMetadata checks what a request says of an import besides its file.
func (r *Request) checkMetadata() error {
	invalid := problem.New(problem.ParameterInvalid, "Some parameters are not valid.")
	if utf8.RuneCountInString(r.Label) > maxLabel || !pgtext.ValidText(r.Label) || strings.ContainsFunc(r.Label, unicode.IsControl) || strings.TrimSpace(r.Label) != r.Label {
		invalid.With("label", problem.ParameterInvalid, "Up to 100 characters on one line, without white space around them.")
	}
	if !r.MaxErrors.Valid() {
		invalid.With("maxErrors", problem.ParameterInvalid, job.ErrorLimitRule)
	}
	if !settings.AreValidAddresses(r.Notify) {
		invalid.With("notify", problem.ParameterInvalid, settings.AddressesRule)
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

// checkRecipients refuses addresses that the organisation does not want to be told.
func (r *Request) checkRecipients(own *settings.Settings, mails bool) error {
	if rule := own.RecipientRule(r.Notify, mails); rule != "" {
		return problem.New(problem.ParameterInvalid, "Not everybody named in notify may be told.").With("notify", problem.ParameterInvalid, rule)
	}
	return nil
}
