package httpapi

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/profile"
)

// listProfileOffers is GET …/profile-offers: the profiles that match the file at least partly.
func (a *api) listProfileOffers(w http.ResponseWriter, r *http.Request) error {
	var offers []profileOffer
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		j, err := a.DB.Job(ctx, tx, jobID(r, "importId"))
		if err != nil {
			return err
		}
		columns, err := a.DB.ColumnMappings(ctx, tx, j.Key)
		if err != nil {
			return err
		}
		offers, err = a.loadProfileOffers(ctx, tx, j, columns)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, offers)
}

// loadProfileOffers returns the profiles that match a job's file at least partly; none if the job
// already uses a profile.
func (a *api) loadProfileOffers(ctx context.Context, tx pgx.Tx, j *job.Job, columns []job.MappedColumn) ([]profileOffer, error) {
	headers := profile.Headers(columns)
	if j.Profile != nil || len(headers) == 0 {
		return []profileOffer{}, nil
	}
	known, err := a.DB.KnownProfiles(ctx, tx, j.ImportType)
	return toProfileOffers(profile.RankOffers(known, headers)), err
}
