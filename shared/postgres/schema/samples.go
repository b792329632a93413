package schema

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// Samples is whether the import types that come with Loadbay can be used. The zero value includes them
// in a new installation, and leaves an existing one as it is.
type Samples string

const (
	SamplesOn  Samples = "on"  // adds them, also later
	SamplesOff Samples = "off" // leaves them out of a new installation
)

// UnmarshalText reads the setting SAMPLES.
func (s *Samples) UnmarshalText(text []byte) error {
	switch *s = Samples(text); *s {
	case SamplesOn, SamplesOff:
		return nil
	}
	return fmt.Errorf("%q is neither on nor off", text)
}

// ChooseSamples applies the setting to a migrated database, and reports whether the types can be used.
// It never removes them.
func ChooseSamples(ctx context.Context, owner *pgx.ConnConfig, s Samples) (installed bool, err error) {
	conn, err := pgx.ConnectConfig(ctx, owner)
	if err != nil {
		return false, fmt.Errorf("choose samples: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	err = conn.QueryRow(ctx, `
		UPDATE loadbay.installation
		SET samples = CASE WHEN $1 = 'on' THEN true ELSE coalesce(samples, $1 <> 'off') END
		RETURNING samples`, string(s)).Scan(&installed)
	if err != nil {
		return false, fmt.Errorf("choose samples: %w", err)
	}
	return installed, nil
}
