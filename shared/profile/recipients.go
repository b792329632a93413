package profile

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/organisation/settings"
)

// SettingsStore loads the organisation's settings, which define who may be notified of imports.
type SettingsStore interface {
	Settings(ctx context.Context, tx pgx.Tx) (settings.Settings, error)
}

// setRecipients sets the addresses that are notified of the profile's imports.
func (s *Service) setRecipients(ctx context.Context, tx pgx.Tx, p *Profile, addresses []string) error {
	if len(addresses) > 0 {
		rule := job.AddressesRule
		if job.AreValidAddresses(addresses) {
			own, err := s.store.Settings(ctx, tx)
			if err != nil {
				return err
			}
			rule = own.RecipientRule(addresses, s.mailEnabled)
		}
		if rule != "" {
			var f fieldErrors
			f.add("notify", rule)
			return f.err()
		}
	}
	p.Notify = addresses
	return nil
}
