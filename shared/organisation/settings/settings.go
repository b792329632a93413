// Package settings is what an organisation wants of its imports where a request says
// nothing.
//
// Tested by shared/httpapi and shared/imports/submit: the routes, and what becomes of imports.
package settings

import (
	"fmt"
	"slices"
	"time"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// Settings are those of one organisation. The zero value, in each field, leaves it to
// the type, the file or the service.
type Settings struct {
	Review string // one of Reviews
	Mode   string // "insert" or "upsert", for types that have it
	sheet.Assumptions
	MaxErrors job.ErrorLimit
	// Approval and Guards are about imports that are rehearsed first: every one is where
	// there are guards, as far as its type can be.
	Approval job.Approval
	Guards   job.Guards
	// MailDomains are those whose addresses may be told of imports. There are none at
	// first: nobody outside is written to because somebody with a token said so.
	MailDomains []string

	// UndoDays are for how many days after their end its imports can be undone; nil for
	// job.DefaultUndoDays. With 0 nothing is kept to undo them.
	UndoDays *int

	UpdatedAt *time.Time // nil: nothing has ever been set
	UpdatedBy string     // the subject of the token
}

// GuardsRule says what job.Guards must be.
const GuardsRule = `An object with created, updated and, by up to 50 names, fields: each a number of rows from 0, as in 100, or a share of all rows below 100 percent, as in "2.5%".`

// validReviews are when a person is shown what the columns of a file were taken for.
func validReviews() []string { return []string{"always", "unsure", "never"} }

// Validate returns what is wrong with the settings by name, OPTION_INVALID, or nil.
func (s *Settings) Validate() error {
	invalid := problem.New(problem.OptionInvalid, "Some settings are not valid.")
	if s.Review != "" && !slices.Contains(validReviews(), s.Review) {
		invalid.With("review", problem.OptionInvalid, problem.OneOf(validReviews()))
	}
	if s.Mode != "" && s.Mode != "insert" && s.Mode != "upsert" {
		invalid.With("mode", problem.OptionInvalid, problem.OneOf([]string{"insert", "upsert"}))
	}
	if !s.MaxErrors.Valid() {
		invalid.With("maxErrors", problem.OptionInvalid, job.ErrorLimitRule)
	}
	if !s.Approval.Valid() {
		invalid.With("approval", problem.OptionInvalid, problem.OneOf([]job.Approval{job.ApprovalAny, job.ApprovalOther}))
	}
	if !s.Guards.Valid() {
		invalid.With("guards", problem.OptionInvalid, GuardsRule)
	}
	if len(s.MailDomains) > maxDomains || slices.ContainsFunc(s.MailDomains, func(d string) bool { return !isDomain(d) }) {
		invalid.With("mailDomains", problem.OptionInvalid, "Up to 20 names of domains, as in example.org.")
	}
	if s.UndoDays != nil && (*s.UndoDays < 0 || *s.UndoDays > job.MaxUndoDays) {
		invalid.With("undoDays", problem.OptionInvalid, fmt.Sprintf("A whole number from 0 to %d, as in 30.", job.MaxUndoDays))
	}
	s.CheckRules(func(ok bool, field, rule string) {
		if !ok {
			invalid.With(field, problem.OptionInvalid, rule)
		}
	})
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}
