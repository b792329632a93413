package submit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/sheet"
)

// SettingsStore are what organisations want where a request says nothing.
type SettingsStore interface {
	Settings(ctx context.Context, tx pgx.Tx) (settings.Settings, error)
}

// applyDefaults fills in what the request leaves to its organisation's settings. That comes
// after the fingerprint: the request that is repeated is what was said.
func (s *Service) applyDefaults(ctx context.Context, r *Request) error {
	var own settings.Settings
	err := s.store.InOrganisation(ctx, r.OrganisationID, func(tx pgx.Tx) (err error) {
		own, err = s.store.Settings(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	if mode := entity.Mode(own.Mode); r.modeOmitted && r.Type.Allows(mode) {
		r.Mode = mode
	}
	if r.Review == "" {
		r.Review = job.Review(own.Review)
	}
	if r.MaxErrors == "" {
		r.MaxErrors = own.MaxErrors
	}
	r.planned = r.plan(&own)
	if err := r.checkRecipients(&own, s.limits.MailFrom != ""); err != nil {
		return err
	}
	r.Options, err = applyAssumptions(r.Options, own.Assumptions)
	return err
}

// applyAssumptions adds assumptions to the options for what they do not state themselves.
func applyAssumptions(options json.RawMessage, own sheet.Assumptions) (json.RawMessage, error) {
	if own == (sheet.Assumptions{}) {
		return options, nil
	}
	var stated sheet.Options
	members := make(map[string]json.RawMessage)
	for _, into := range []any{&stated, &members} {
		if err := json.Unmarshal(options, into); err != nil {
			return nil, fmt.Errorf("read options: %w", err)
		}
	}
	if stated.DateOrder != "" {
		own.DateOrder = ""
	}
	if stated.DecimalMark != "" {
		own.DecimalMark = ""
	}
	if stated.Encoding != "" {
		own.Encoding = ""
	}
	all := stated.Assume.WithDefaults(own)
	if all == (sheet.Assumptions{}) {
		return options, nil
	}
	text, err := json.Marshal(all)
	if err != nil {
		return nil, fmt.Errorf("keep assumptions: %w", err)
	}
	members["assume"] = text
	return json.Marshal(members)
}
