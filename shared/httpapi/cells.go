package httpapi

import (
	"net/http"

	"github.com/loadbay/loadbay/shared/answers"
)

// cellAnswer is what is said about one value, or, with targetField instead of
// id, about all values of the field that are open.
type cellAnswer struct {
	ID             int64  `json:"id"`
	TargetField    string `json:"targetField"`
	Confirm        bool   `json:"confirm"`
	TargetEntityID *int64 `json:"targetEntityId"`
	Ignore         bool   `json:"ignore"`
}

// candidate is an entity that a value can stand for.
type candidate struct {
	ID          int64  `json:"id"`
	DisplayName string `json:"displayName"`
}

// listCells is GET …/cell-mappings.
func (a *api) listCells(w http.ResponseWriter, r *http.Request) error {
	_, cells, err := a.Answers.Cells(r.Context(), refOf(r))
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, toCellMappings(cells))
}

// listCandidates is GET …/cell-mappings/candidates.
func (a *api) listCandidates(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	field := v.text("targetField")
	if err := v.err(); err != nil {
		return err
	}
	found, err := a.Answers.Candidates(r.Context(), refOf(r), field)
	if err != nil {
		return err
	}
	documents := make([]candidate, len(found))
	for i, c := range found {
		documents[i] = candidate{ID: c.ID, DisplayName: c.Name}
	}
	return writeJSON(w, http.StatusOK, documents)
}

// answerCells is PUT …/cell-mappings: 202 when no value is open, 406 when some are.
func (a *api) answerCells(w http.ResponseWriter, r *http.Request) error {
	var given []cellAnswer
	if err := readJSON(r, &given); err != nil {
		return err
	}
	said := make([]answers.Cell, len(given))
	for i, g := range given {
		said[i] = answers.Cell(g)
	}
	cells, err := a.Answers.AnswerCells(r.Context(), refOf(r), said)
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusAccepted, toCellMappings(cells))
}

// confirmCells is POST …/cell-mappings/confirm.
func (a *api) confirmCells(w http.ResponseWriter, r *http.Request) error {
	j, err := a.Answers.ConfirmCells(r.Context(), refOf(r))
	if err != nil {
		return err
	}
	return writeAccepted(w, toImportJob(j))
}
