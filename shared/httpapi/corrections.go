package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/correction"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/transform"
)

// correctionRequest is the body of PATCH …/rows: rows, or where with transform.
type correctionRequest struct {
	Rows []struct {
		Row   int64                      `json:"row"`
		Cells map[string]json.RawMessage `json:"cells"`
	} `json:"rows"`
	Where *struct {
		Field string  `json:"field"`
		Code  string  `json:"code"`
		Value *string `json:"value"`
	} `json:"where"`
	Transform []transform.Step `json:"transform"`
	Cursor    string           `json:"cursor"`
}

// correctionResult is the response: Corrected in openapi.yaml.
type correctionResult struct {
	Preview   bool           `json:"preview"`
	Matched   int            `json:"matched"`   // number of cells
	Corrected int            `json:"corrected"` // number of valid cells, saved unless this is a preview
	Rows      []correctedRow `json:"rows"`      // the named rows, or examples
	Cursor    *string        `json:"cursor"`
	Complete  bool           `json:"complete"`
}

type correctedRow struct {
	RowNumber int64            `json:"rowNumber"`
	Cells     []correctedCell  `json:"cells"`
	Remaining []rowwrite.Error `json:"remaining"`
}

type correctedCell struct {
	Field   string        `json:"field"`
	Before  string        `json:"before"`
	After   string        `json:"after"`
	Typed   *string       `json:"typed"`
	Valid   bool          `json:"valid"`
	Code    *problem.Code `json:"code"`
	Message *string       `json:"message"`
}

// correctRows is PATCH …/rows.
func (a *api) correctRows(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	preview := v.flag("preview")
	v.rejectUnknown("preview")
	if err := v.err(); err != nil {
		return err
	}
	var in correctionRequest
	if err := readJSON(r, &in, maxDecisions); err != nil {
		return err
	}
	var document *correctionResult
	var err error
	switch {
	case (in.Rows != nil) == (in.Where != nil), in.Rows != nil && (in.Transform != nil || in.Cursor != ""):
		err = problem.New(problem.ParameterInvalid, "Set either rows with cells, or where with a transform.")
	case in.Where != nil:
		document, err = a.replaceCells(r, &in, preview)
	default:
		document, err = a.correctCells(r, &in, preview)
	}
	if err != nil {
		return err
	}
	document.Preview = preview
	return writeJSON(w, http.StatusOK, document)
}

// correctCells corrects named rows.
func (a *api) correctCells(r *http.Request, in *correctionRequest, preview bool) (*correctionResult, error) {
	given := make(map[int64]correction.Cells, len(in.Rows))
	for i, row := range in.Rows {
		if _, twice := given[row.Row]; twice || row.Row < 1 || len(row.Cells) == 0 {
			return nil, problem.New(problem.ParameterInvalid, "The rows are not valid.").
				With("rows."+strconv.Itoa(i), problem.ParameterInvalid, "A row number from 1, each once, with its corrected cells.")
		}
		given[row.Row] = row.Cells
	}
	if len(given) == 0 || len(given) > correction.MaxRows {
		return nil, problem.New(problem.ParameterInvalid, "A request can correct 1 to %d rows.", correction.MaxRows).
			With("rows", problem.ParameterInvalid, "Rows with their cells.")
	}
	checked, err := a.Rows.Correct(r.Context(), jobRef(r), callerName(r), given, preview)
	if err != nil {
		return nil, err
	}
	corrected, err := a.toCorrectedRows(r, checked)
	if err != nil {
		return nil, err
	}
	document := &correctionResult{Rows: corrected, Complete: true}
	for _, row := range document.Rows {
		document.Matched += len(row.Cells)
		for _, c := range row.Cells {
			if c.Valid {
				document.Corrected++
			}
		}
	}
	return document, nil
}

// replaceCells corrects all cells that match a condition.
func (a *api) replaceCells(r *http.Request, in *correctionRequest, preview bool) (*correctionResult, error) {
	var after int64
	if in.Cursor != "" {
		var err error
		if after, err = strconv.ParseInt(in.Cursor, 10, 64); err != nil || after < 0 {
			return nil, problem.New(problem.ParameterInvalid, "The cursor is not valid.").With("cursor", problem.ParameterInvalid, "The cursor of the last response.")
		}
	}
	if len(in.Transform) == 0 {
		return nil, problem.New(problem.ParameterInvalid, "The transformation of the cells is missing.").With("transform", problem.ParameterInvalid, "An array of transformation steps.")
	}
	found, err := a.Rows.Replace(r.Context(), jobRef(r), callerName(r), correction.ReplaceFilter{Field: in.Where.Field, Code: in.Where.Code, Value: in.Where.Value}, in.Transform, after, preview)
	if err != nil {
		return nil, err
	}
	corrected, err := a.toCorrectedRows(r, found.Examples)
	if err != nil {
		return nil, err
	}
	document := &correctionResult{Matched: found.Matched, Corrected: found.Corrected, Rows: corrected, Complete: !found.More}
	if found.More {
		document.Cursor = new(strconv.FormatInt(found.Next, 10))
	}
	return document, nil
}

func (a *api) toCorrectedRows(r *http.Request, checked []correction.CheckedRow) ([]correctedRow, error) {
	l, decl := languageOf(r), &entity.Declaration{}
	if l != translation.English {
		j, err := a.DB.JobStatus(r.Context(), organisationOf(r), jobID(r, "importId"))
		if err != nil {
			return nil, err
		}
		if decl, err = a.declaration(r.Context(), nil, j); err != nil {
			return nil, err
		}
	}
	rows := make([]correctedRow, len(checked))
	for i, one := range checked {
		rows[i] = correctedRow{RowNumber: one.Row, Cells: make([]correctedCell, len(one.Cells)), Remaining: rowErrorsIn(l, decl, one.Remaining)}
		for k, c := range one.Cells {
			cell := correctedCell{Field: c.Field, Before: c.Before, After: c.Read, Typed: c.Typed, Valid: c.Error == nil}
			if c.Error != nil {
				cell.Code, cell.Message, cell.Typed = &c.Error.Code, new(rowMessage(l, decl, c.Error)), nil
			}
			rows[i].Cells[k] = cell
		}
	}
	return rows, nil
}

// deleteCorrections is DELETE …/rows/corrections: of all rows, of one row, or of one field of a row.
func (a *api) deleteCorrections(w http.ResponseWriter, r *http.Request) error {
	v := newValues(r.URL.Query())
	row, field := v.intBetween("row", 1, maxOffset, 0), v.text("field")
	v.rejectUnknown("row", "field")
	if err := v.err(); err != nil {
		return err
	}
	err := a.inOrganisation(r, func(ctx context.Context, tx pgx.Tx) error {
		j, err := a.DB.Job(ctx, tx, jobID(r, "importId"))
		if err != nil {
			return err
		}
		decl, err := a.declaration(ctx, tx, j)
		if err != nil {
			return err
		}
		if err := submit.CheckCorrectable(j, decl); err != nil {
			return err
		}
		if err := a.DB.AddContributor(ctx, tx, j.Key, callerName(r)); err != nil {
			return err
		}
		_, err = a.DB.DeleteCorrections(ctx, tx, j.Key, row, field)
		return err
	})
	if err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
