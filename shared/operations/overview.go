package operations

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Overview is how an installation does, as its database knows it.
type Overview struct {
	Imports []StateCount // open ones by status, and those of the last day that have ended
	Exports []StateCount // likewise
	// StuckImports, StuckExports and OpenErasures count what somebody has to look at.
	StuckImports, StuckExports, OpenErasures int64
	// RowsPerSecond is how fast the imports go that are being processed: their rows by now,
	// by the time since each was last started.
	RowsPerSecond float64
	// Rows and ErrorRows are those of imports that have ended within the last day.
	Rows, ErrorRows int64
	Failures        []FailureCount // of the last day, the most frequent first
	StuckAfter      time.Duration  // after how long without progress something is stuck
}

// StateCount is how many there are in a state, and since when the oldest of them has been.
type StateCount struct {
	Status string
	Count  int64
	Oldest time.Time
}

// FailureCount is how many imports have failed with a code.
type FailureCount struct {
	Code  string
	Count int64
}

// Waiting is since when the oldest has waited of what each queue brings, as far as the
// database knows it; nil where nothing waits.
type Waiting struct{ Rows, Exports, Fetches, Webhooks *time.Time }

// Overview returns how the installation does.
func (s *Service) Overview(ctx context.Context) (o *Overview, err error) {
	err = s.Store.AcrossOrganisations(ctx, func(tx pgx.Tx) (err error) {
		o, err = s.Store.Overview(ctx, tx, s.config.StuckAfter)
		return err
	})
	if o != nil {
		o.StuckAfter = s.config.StuckAfter
	}
	return o, err
}
