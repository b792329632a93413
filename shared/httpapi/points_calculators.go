package httpapi

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity/points"
)

// calculators lists the points calculators: the built-in ones, and the organisation's own.
type calculators struct {
	BuiltIn     []points.Calculator `json:"builtIn"`
	Calculators []points.Calculator `json:"calculators"`
}

// getCalculators is GET /api/settings/points-calculators.
func (a *api) getCalculators(w http.ResponseWriter, r *http.Request) error {
	document := calculators{BuiltIn: points.BuiltIn()}
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) (err error) {
		document.Calculators, err = a.DB.PointsCalculators(ctx, tx)
		return err
	})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, document)
}

// putCalculators is PUT /api/settings/points-calculators: it replaces the organisation's own
// calculators.
func (a *api) putCalculators(w http.ResponseWriter, r *http.Request) error {
	var given []points.Calculator
	if err := readJSON(r, &given, maxDocument); err != nil {
		return err
	}
	if err := points.Validate(given); err != nil {
		return err
	}
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error { return a.DB.SavePointsCalculators(ctx, tx, given) })
	if err != nil {
		return err
	}
	return a.getCalculators(w, r)
}
