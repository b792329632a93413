package httpapi

import (
	"net/http"

	"github.com/loadbay/loadbay/shared/review"
)

// Pages of candidates.
const (
	candidatesPage    = 500
	maxCandidatesPage = 1000
)

// listCells is GET …/cell-mappings.
func (a *api) listCells(w http.ResponseWriter, r *http.Request) error {
	documents, err := a.cellMappings(r)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, documents)
}

// cellMappings are the values of a job's file, with suggestions for those that
// are open.
func (a *api) cellMappings(r *http.Request) ([]cellMapping, error) {
	_, cells, err := a.Review.Cells(r.Context(), refOf(r))
	if err != nil {
		return nil, err
	}
	suggested, err := a.Review.Suggest(r.Context(), refOf(r), cells)
	if err != nil {
		return nil, err
	}
	return toCellMappings(cells, suggested), nil
}

// listCandidates is GET …/cell-mappings/candidates.
func (a *api) listCandidates(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(candidatesPage, maxCandidatesPage)
	choice := review.Choice{
		Field: v.text("targetField"), Value: v.text("value"), Search: v.text("search"), Offset: p.offset(), Limit: p.size,
	}
	v.rejectUnknown("targetField", "value", "search", "page", "size")
	if err := v.err(); err != nil {
		return err
	}
	found, total, err := a.Review.Candidates(r.Context(), refOf(r), choice)
	if err != nil {
		return err
	}
	p.describe(w, r, total)
	return writeJSON(w, http.StatusOK, toCandidates(found, choice.Value != ""))
}

// decideCells is PUT …/cell-mappings: 202 when no value is open, 406 when some are.
func (a *api) decideCells(w http.ResponseWriter, r *http.Request) error {
	var said []review.Cell
	if err := readJSON(r, &said); err != nil {
		return err
	}
	cells, err := a.Review.DecideCells(r.Context(), refOf(r), said)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, toCellMappings(cells, nil))
}

// confirmCells is POST …/cell-mappings/confirm.
func (a *api) confirmCells(w http.ResponseWriter, r *http.Request) error {
	j, err := a.Review.ConfirmCells(r.Context(), refOf(r))
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(j))
}
