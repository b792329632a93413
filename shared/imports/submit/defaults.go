package submit

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/organisation/settings"
	"github.com/loadbay/loadbay/shared/sheet"
)

// SettingsStore loads the settings of organisations, the defaults of requests.
type SettingsStore interface {
	Settings(ctx context.Context, tx pgx.Tx) (settings.Settings, error)
}

// applyDefaults fills in omitted members from the organisation's settings. This happens
// after the fingerprint, which covers only what the request itself contains.
func (s *Service) applyDefaults(ctx context.Context, tx pgx.Tx, r *Request) error {
	own, err := s.store.Settings(ctx, tx)
	if err != nil {
		return err
	}
	if mode := rowwrite.Mode(own.Mode); r.modeOmitted && r.Type.Allows(mode) {
		r.Mode = mode
	}
	if r.Review == "" {
		r.Review = job.Review(own.Review)
	}
	if r.MaxErrors == "" {
		r.MaxErrors = own.MaxErrors
	}
	r.defaults = own.StoredOptions
	r.planned = r.plan(&own)
	if err := r.checkRecipients(&own, s.limits.MailFrom != ""); err != nil {
		return err
	}
	r.Options, err = applyAssumptions(r.Options, own.Assumptions)
	return err
}

// applyAssumptions adds the assumptions that the options do not contain themselves.
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
		return nil, fmt.Errorf("encode assumptions: %w", err)
	}
	members["assume"] = text
	return json.Marshal(members)
}
