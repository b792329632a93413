// Package settings defines the settings of an organisation, the defaults of its imports.
//
// Tested by shared/httpapi and shared/imports/submit: the routes, and the effect on imports.
package settings

import (
	"fmt"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Settings are those of one organisation. The zero value of each field leaves it to the
// type, the file or the service.
type Settings struct {
	Review string // one of Reviews
	Mode   string // a rowwrite.Mode, for types with that mode
	sheet.Assumptions
	MaxErrors job.ErrorLimit
	job.StoredOptions
	// Approval and Guards apply to imports that are planned first. If there are guards, every
	// import is planned, as far as its type allows it.
	Approval job.Approval
	Guards   job.Guards
	// MailDomains are the domains of recipients. It is empty by default, so that a caller with a
	// token cannot send mail to outsiders.
	MailDomains []string
	// ConfirmedDomains are the domains that the operator has confirmed to be the organisation's. Only
	// those of MailDomains that are among them receive mail.
	ConfirmedDomains []string

	// UndoDays is the number of days after their end during which its imports can be undone;
	// nil for job.DefaultUndoDays. With 0, no changes are stored for undo.
	UndoDays *int

	UpdatedAt *time.Time // nil: never saved
	UpdatedBy string     // subject of the token
}

// Validate returns the errors of the settings by name, OPTION_INVALID, or nil.
func (s *Settings) Validate() error {
	invalid := problem.New(problem.OptionInvalid, "Some settings are not valid.")
	if !ValidDomains(s.MailDomains) {
		invalid.With("mailDomains", problem.OptionInvalid, DomainRule)
	}
	if s.UndoDays != nil && (*s.UndoDays < 0 || *s.UndoDays > job.MaxUndoDays) {
		invalid.With("undoDays", problem.OptionInvalid, fmt.Sprintf("A whole number from 0 to %d, such as 30.", job.MaxUndoDays))
	}
	check := func(ok bool, field, rule string) {
		if !ok {
			invalid.With(field, problem.OptionInvalid, rule)
		}
	}
	defaults := job.ImportOptions{
		Review: job.Review(s.Review), Mode: rowwrite.Mode(s.Mode), MaxErrors: s.MaxErrors, Approval: s.Approval, Guards: &s.Guards, StoredOptions: s.StoredOptions,
	}
	defaults.CheckRules(check)
	s.Assumptions.CheckRules(check)
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}
