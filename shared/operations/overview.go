package operations

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// Overview is the state of an installation according to its database.
type Overview struct {
	Imports []StateCount // open ones by status, and those that ended within the last day
	Exports []StateCount // likewise
	// StuckImports, StuckExports and OpenErasures are the numbers of those that need attention.
	StuckImports, StuckExports, OpenErasures int64
	// RowsPerSecond is the current throughput of the imports that are being processed: their
	// rows so far, divided by the time since each was last started.
	RowsPerSecond float64
	// Rows and ErrorRows are those of imports that ended within the last day.
	Rows, ErrorRows int64
	Failures        []FailureCount // of the last day, the most frequent first
	StuckAfter      time.Duration  // time without progress after which something is stuck
}

// StateCount is the number of jobs in a state, and the time since which the oldest has been in
// it.
type StateCount struct {
	Status string
	Count  int64
	Oldest time.Time
}

// FailureCount is the number of imports that failed with a code.
type FailureCount struct {
	Code  string
	Count int64
}

// Waiting contains, for each queue, the time since which its oldest work has been waiting, as
// far as the database knows; nil if none waits.
type Waiting struct{ Rows, Exports, Fetches, Webhooks *time.Time }

// Overview returns the state of the installation.
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
