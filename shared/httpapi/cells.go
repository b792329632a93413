package httpapi

import (
	"context"
	"fmt"
	"hash/crc32"
	"net/http"

	"github.com/loadbay/loadbay/shared/imports/review"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/mapping"
	"github.com/loadbay/loadbay/shared/postgres"
)

// Page sizes of candidates and of column and value mappings.
const (
	candidatesPage    = 500
	maxCandidatesPage = 1000
	mappingsPage      = 1000
	maxMappingsPage   = 10_000
)

// firstMappingsPage is the default page.
var firstMappingsPage = page{size: mappingsPage}

// readCellsPage parses which values are requested, and in which order.
func readCellsPage(r *http.Request) (page, job.CellPage, error) {
	v := newValues(r.URL.Query())
	p := v.page(mappingsPage, maxMappingsPage)
	of := job.CellPage{Unresolved: v.flag("open"), Text: v.text("q"), Page: p.list()}
	switch v.text("sort") {
	case "", "asked":
	case "-rowCount":
		of.Order = job.OrderByRows
	case "field":
		of.Order = job.OrderByField
	default:
		v.addError("sort", "One of asked (default), -rowCount, field.")
	}
	v.rejectUnknown(pageParams("open", "q", "sort")...)
	return p, of, v.err()
}

// readMappingsPage parses which part of a list of mappings is requested.
func readMappingsPage(r *http.Request) (page, error) {
	v := newValues(r.URL.Query())
	p := v.page(mappingsPage, maxMappingsPage)
	v.rejectUnknown(pageParams()...)
	return p, v.err()
}

// listCells is GET …/cell-mappings.
func (a *api) listCells(w http.ResponseWriter, r *http.Request) error {
	p, of, err := readCellsPage(r)
	if err != nil {
		return err
	}
	return a.writeCells(w, r, http.StatusOK, p, of)
}

// writeCells responds with a page of the values of a job's file.
func (a *api) writeCells(w http.ResponseWriter, r *http.Request, status int, p page, of job.CellPage) error {
	documents, cells, total, err := a.loadCellMappings(r.Context(), jobRef(r), of)
	if err != nil {
		return err
	}
	return writeList(w, r, status, p, documents, func(i int) []string { return postgres.CellCursor(of.Order, &cells[i]) }, total)
}

// loadCellMappings returns a page of the values of a job's file, with suggestions for undecided
// values, and the total number of values.
func (a *api) loadCellMappings(ctx context.Context, ref job.Ref, p job.CellPage) ([]cellMapping, []job.MappedCell, int64, error) {
	cells, total, err := a.Review.Cells(ctx, ref, p)
	if err != nil {
		return nil, nil, 0, err
	}
	suggested, err := a.Review.SuggestCandidates(ctx, ref, cells)
	if err != nil {
		return nil, nil, 0, err
	}
	return toCellMappings(cells, suggested), cells, total, nil
}

// addCellMappings adds the first values to a job's document, as many as fit into the response.
func (a *api) addCellMappings(ctx context.Context, ref job.Ref, document *importJob) error {
	documents, _, total, err := a.loadCellMappings(ctx, ref, job.CellPage{Page: job.Page{Limit: mappingsPage}})
	if err != nil {
		return err
	}
	room, err := remainingBytes(document)
	if err != nil {
		return err
	}
	document.CellMappings, err = takeFitting(documents, room)
	document.MoreCellMappings = int64(len(document.CellMappings)) < total
	return err
}

// listCandidates is GET …/cell-mappings/candidates.
func (a *api) listCandidates(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	p := v.page(candidatesPage, maxCandidatesPage)
	choice := review.CandidateQuery{Field: v.text("targetField"), Value: v.text("value"), Search: v.text("search")}
	v.rejectUnknown(pageParams("targetField", "value", "search")...)
	if err := v.err(); err != nil {
		return err
	}
	found, err := a.Review.Candidates(r.Context(), jobRef(r), choice)
	if err != nil {
		return err
	}
	return writeCandidates(w, r, p, found, choice)
}

// writeCandidates responds with a page of candidates.
func writeCandidates(w http.ResponseWriter, r *http.Request, p page, found []mapping.Suggestion, choice review.CandidateQuery) error {
	keyOf := func(s *mapping.Suggestion) string {
		return fmt.Sprintf("%d.%x", s.ID, crc32.ChecksumIEEE([]byte(s.Name))) // the list is sorted by the name
	}
	return writeWhole(w, r, http.StatusOK, p, found, keyOf, func(page []mapping.Suggestion) []candidate { return toCandidates(page, choice.Value != "") })
}

// decideCells is PUT …/cell-mappings: 202 if all values are decided, 406 if not. The response
// contains the first page of them.
func (a *api) decideCells(w http.ResponseWriter, r *http.Request) error {
	var decisions []review.CellDecision
	if err := readJSON(r, &decisions, maxDecisions); err != nil {
		return err
	}
	if err := a.Review.DecideCells(r.Context(), jobRef(r), callerName(r), decisions); err != nil {
		return err
	}
	return a.writeCells(w, r, http.StatusAccepted, firstMappingsPage, job.CellPage{Page: firstMappingsPage.list()})
}

// confirmCells is POST …/cell-mappings/confirm.
func (a *api) confirmCells(w http.ResponseWriter, r *http.Request) error {
	j, err := a.Review.ConfirmCells(r.Context(), jobRef(r), callerName(r))
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(languageOf(r), j))
}
