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

// checkMetadata checks the request's metadata, which is independent of the file.
func (r *Request) checkMetadata() error {
	invalid := problem.New(problem.ParameterInvalid, "Some parameters are not valid.")
	if utf8.RuneCountInString(r.Label) > maxLabel || !pgtext.ValidText(r.Label) || strings.ContainsFunc(r.Label, unicode.IsControl) || strings.TrimSpace(r.Label) != r.Label {
		invalid.With("label", problem.ParameterInvalid, "Up to 100 characters on one line, without surrounding white space.")
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

// checkRecipients rejects addresses that the organisation does not allow as recipients.
func (r *Request) checkRecipients(own *settings.Settings, mails bool) error {
	if rule := own.RecipientRule(r.Notify, mails); rule != "" {
		return problem.New(problem.ParameterInvalid, "Some recipients are not allowed.").With("notify", problem.ParameterInvalid, rule)
	}
	return nil
}
