package httpapi

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/problem"
)

// goneIfPurged responds with 410 instead of 404 for an import that purge has deleted, so that the
// caller learns the reason. Imports of other organisations remain unknown. Only a 404 causes
// the second lookup. Operators, who have no organisation, get no 410.
func (a *api) goneIfPurged(do handler) handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		err := do(w, r)
		if problem.CodeOf(err) != problem.NotFound || !organisationOf(r).Valid() {
			return err
		}
		id := jobID(r, "importId")
		if id == "" {
			return err
		}
		var purged bool
		failed := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
			purged, err = a.DB.WasDeleted(ctx, tx, id)
			return err
		})
		if failed != nil {
			return failed
		}
		if purged {
			return problem.New(problem.Gone, "This import was deleted because its retention period ended.")
		}
		return err
	}
}
