package notify

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
)

// Results writes what came of a file of the drop folder to where its sender looks; of
// any other it writes nothing.
type Results interface {
	Write(ctx context.Context, ref job.Ref) error
}

// result writes the result of an import that has ended early. Its execution does that
// too, if it is what has ended it; but an import is also cancelled by a caller, given up by
// reconcile and purge, and stopped for too many errors.
func (s *Step) result(ctx context.Context, ref job.EventRef) error {
	var e *job.Event
	err := s.store.InOrganisation(ctx, ref.OrganisationID, func(tx pgx.Tx) (err error) {
		if e, err = s.store.Event(ctx, tx, ref.EventID); missing(err) {
			e, err = nil, nil
		}
		return err
	})
	if err != nil || e == nil || !e.Status.Terminal() || e.Status == job.Completed {
		return err
	}
	return s.results.Write(ctx, job.Ref{JobID: e.JobID, OrganisationID: ref.OrganisationID})
}
