package httpapi

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/organisation/quota"
)

// getQuotas is GET /api/quotas: the quotas of the caller's organisation, and their usage.
func (a *api) getQuotas(w http.ResponseWriter, r *http.Request) error {
	var uses quota.Usages
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		uses, err = a.DB.Quotas(ctx, tx, organisationOf(r), a.Quotas, a.MaxFileBytes)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, uses)
}
