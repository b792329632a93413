package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/quota"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/sheet"
)

// wishes are the settings on the wire; null leaves a thing to the type, the file or
// the service.
type wishes struct {
	Review      *string `json:"review"`
	Mode        *string `json:"mode"`
	DateOrder   *string `json:"dateOrder"`
	DecimalMark *string `json:"decimalMark"`
	Encoding    *string `json:"encoding"`
	TimeZone    *string `json:"timeZone"`

	MaxErrors   *job.ErrorLimit `json:"maxErrors"`
	MailDomains []string        `json:"mailDomains"`
	UndoDays    *int            `json:"undoDays"`
	Approval    *job.Approval   `json:"approval"`
	Guards      *job.Guards     `json:"guards"`
}

// settingsDocument is what GET and PATCH /api/settings respond with.
type settingsDocument struct {
	wishes
	UpdatedAt *time.Time `json:"updatedAt"` // null: nothing has been set
	UpdatedBy *string    `json:"updatedBy"`
	Quotas    quota.Uses `json:"quotas"` // which an operator sets
}

func toWishes(s *settings.Settings) wishes {
	return wishes{
		Review: orNull(s.Review), Mode: orNull(s.Mode), DateOrder: orNull(s.DateOrder), DecimalMark: orNull(s.DecimalMark),
		Encoding: orNull(s.Encoding), TimeZone: orNull(s.TimeZone), MaxErrors: orNull(s.MaxErrors), MailDomains: orEmpty(s.MailDomains), UndoDays: s.UndoDays,
		Approval: orNull(s.Approval), Guards: guardsOrNull(s.Guards),
	}
}

// apply makes the settings what is wished.
func (w *wishes) apply(s *settings.Settings) error {
	s.Review, s.Mode = orBlank(w.Review), orBlank(w.Mode)
	s.Assumptions = sheet.Assumptions{
		DateOrder: orBlank(w.DateOrder), DecimalMark: orBlank(w.DecimalMark), Encoding: orBlank(w.Encoding), TimeZone: orBlank(w.TimeZone),
	}
	s.MaxErrors, s.MailDomains, s.UndoDays = orBlank(w.MaxErrors), w.MailDomains, w.UndoDays
	if s.Approval, s.Guards = orBlank(w.Approval), (job.Guards{}); w.Guards != nil {
		s.Guards = *w.Guards
	}
	return s.Validate()
}

func orBlank[T ~string](s *T) T {
	if s == nil {
		return ""
	}
	return *s
}

// getSettings is GET /api/settings.
func (a *api) getSettings(w http.ResponseWriter, r *http.Request) error {
	return a.writeSettings(w, r, func(ctx context.Context, tx pgx.Tx) (settings.Settings, error) { return a.DB.Settings(ctx, tx) })
}

// patchSettings is PATCH /api/settings: what the document does not mention stays.
func (a *api) patchSettings(w http.ResponseWriter, r *http.Request) error {
	var patch map[string]json.RawMessage
	if err := readJSON(r, &patch, maxDocument); err != nil {
		return err
	}
	return a.writeSettings(w, r, func(ctx context.Context, tx pgx.Tx) (settings.Settings, error) {
		return a.DB.ChangeSettings(ctx, tx, organisationOf(r), callerOf(r), func(s *settings.Settings) error {
			wished := toWishes(s)
			if err := merge(patch, &wished); err != nil {
				return err
			}
			return wished.apply(s)
		})
	})
}

// merge applies a patch to a document, member by member (RFC 7396).
func merge(patch map[string]json.RawMessage, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	members := make(map[string]json.RawMessage)
	if err := json.Unmarshal(text, &members); err != nil {
		return err
	}
	for name := range patch {
		if _, known := members[name]; !known {
			return problem.New(problem.BadJSON, "There is no member of this name here.").With(name, problem.BadJSON, "Leave it out.")
		}
	}
	if text, err = json.Marshal(patch); err != nil {
		return err
	}
	if err := json.Unmarshal(text, document); err != nil {
		return badJSON(err)
	}
	return nil
}

func (a *api) writeSettings(w http.ResponseWriter, r *http.Request, from func(context.Context, pgx.Tx) (settings.Settings, error)) error {
	var document settingsDocument
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		s, err := from(ctx, tx)
		if err != nil {
			return err
		}
		document.wishes, document.UpdatedAt, document.UpdatedBy = toWishes(&s), utc(s.UpdatedAt), orNull(s.UpdatedBy)
		document.Quotas, err = a.DB.Quotas(ctx, tx, organisationOf(r), a.Quotas, a.LargestFile)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}
