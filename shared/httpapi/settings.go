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

// settingsFields is the JSON form of the settings; null means the default of the type, the file or
// the service.
type settingsFields struct {
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
	job.StoredOptions
}

// settingsDocument is the response of GET and PATCH /api/settings.
type settingsDocument struct {
	settingsFields
	UpdatedAt *time.Time   `json:"updatedAt"` // null: no settings were saved
	UpdatedBy *string      `json:"updatedBy"`
	Quotas    quota.Usages `json:"quotas"` // set by an operator
	// UnconfirmedMailDomains receive no mail until an operator confirms them.
	UnconfirmedMailDomains []string `json:"unconfirmedMailDomains"`
}

func toSettingsFields(s *settings.Settings) settingsFields {
	return settingsFields{
		Review: nilIfZero(s.Review), Mode: nilIfZero(s.Mode), DateOrder: nilIfZero(s.DateOrder), DecimalMark: nilIfZero(s.DecimalMark),
		Encoding: nilIfZero(s.Encoding), TimeZone: nilIfZero(s.TimeZone), MaxErrors: nilIfZero(s.MaxErrors), MailDomains: sliceOrEmpty(s.MailDomains), UndoDays: s.UndoDays,
		Approval: nilIfZero(s.Approval), Guards: nilIfNoGuards(s.Guards), StoredOptions: s.StoredOptions,
	}
}

// applyTo copies the requested settings to s.
func (w *settingsFields) applyTo(s *settings.Settings) error {
	s.Review, s.Mode = valueOrEmpty(w.Review), valueOrEmpty(w.Mode)
	s.Assumptions = sheet.Assumptions{
		DateOrder: valueOrEmpty(w.DateOrder), DecimalMark: valueOrEmpty(w.DecimalMark), Encoding: valueOrEmpty(w.Encoding), TimeZone: valueOrEmpty(w.TimeZone),
	}
	s.StoredOptions = w.StoredOptions
	s.MaxErrors, s.MailDomains, s.UndoDays = valueOrEmpty(w.MaxErrors), w.MailDomains, w.UndoDays
	if s.Approval, s.Guards = valueOrEmpty(w.Approval), (job.Guards{}); w.Guards != nil {
		s.Guards = *w.Guards
	}
	return s.Validate()
}

func valueOrEmpty[T ~string](s *T) T {
	if s == nil {
		return ""
	}
	return *s
}

// getSettings is GET /api/settings.
func (a *api) getSettings(w http.ResponseWriter, r *http.Request) error {
	return a.writeSettings(w, r, func(ctx context.Context, tx pgx.Tx) (settings.Settings, error) { return a.DB.Settings(ctx, tx) })
}

// patchSettings is PATCH /api/settings: omitted members do not change.
func (a *api) patchSettings(w http.ResponseWriter, r *http.Request) error {
	var patch map[string]json.RawMessage
	if err := readJSON(r, &patch, maxDocument); err != nil {
		return err
	}
	return a.writeSettings(w, r, func(ctx context.Context, tx pgx.Tx) (settings.Settings, error) {
		return a.DB.UpdateSettings(ctx, tx, organisationOf(r), callerName(r), func(s *settings.Settings) error {
			wished := toSettingsFields(s)
			if err := mergePatch(patch, &wished); err != nil {
				return err
			}
			return wished.applyTo(s)
		})
	})
}

// mergePatch applies a patch to a document, member by member (RFC 7396).
func mergePatch(patch map[string]json.RawMessage, document any) error {
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
			return problem.New(problem.BadJSON, "Unknown setting.").With(name, problem.BadJSON, "Remove it.")
		}
	}
	if text, err = json.Marshal(patch); err != nil {
		return err
	}
	if err := json.Unmarshal(text, document); err != nil {
		return invalidJSON(err)
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
		document.settingsFields, document.UpdatedAt, document.UpdatedBy = toSettingsFields(&s), utcOrNil(s.UpdatedAt), nilIfZero(s.UpdatedBy)
		document.UnconfirmedMailDomains = sliceOrEmpty(s.UnconfirmedDomains())
		document.Quotas, err = a.DB.Quotas(ctx, tx, organisationOf(r), a.Quotas, a.MaxFileBytes)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}
