package profile

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/organisation/settings"
)

// Settings are the organisation's, which say who may be told of imports.
type Settings interface {
	Settings(ctx context.Context, tx pgx.Tx) (settings.Settings, error)
}

// tell makes those addresses the ones that are told of the profile's imports.
func (s *Service) tell(ctx context.Context, tx pgx.Tx, p *Profile, addresses []string) error {
	if len(addresses) > 0 {
		rule := settings.AddressesRule
		if settings.ValidAddresses(addresses) {
			own, err := s.store.Settings(ctx, tx)
			if err != nil {
				return err
			}
			rule = own.ToldRule(addresses, s.mails)
		}
		if rule != "" {
			var f faults
			f.add("notify", rule)
			return f.err()
		}
	}
	p.Notify = addresses
	return nil
}
