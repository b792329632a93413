package correction

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/imports/submit"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
)

// Limits of corrections.
const (
	// MaxRows is the maximum number of rows in one call.
	MaxRows = 200
	// maxCorrections is the maximum number of stored corrections of an import.
	maxCorrections = 100_000
	// maxCellLength is the maximum number of characters in a correction, as in a cell.
	maxCellLength = 32_767
)

// Cells holds the new values of a row's fields: see job.Correction.Value.
type Cells map[string]json.RawMessage

// CheckedRow is the result of validating corrections of a row.
type CheckedRow struct {
	Row   int64
	Cells []CheckedCell // in the order of the type's fields
	// Remaining lists the remaining errors of the row, as far as its cells alone show them.
	Remaining []rowwrite.Error
}

// CheckedCell is one correction: it is saved if it is valid.
type CheckedCell struct {
	rows.Value
	Before     string // previous value of the field
	fieldIndex json.RawMessage
}

// Correct validates corrections of rows in the same way as cells, and saves the valid ones; with
// preview it saves none. by is the person who corrects, or "" if unknown. STATE_CONFLICT names the rows that are not open.
func (s *Service) Correct(ctx context.Context, ref job.Ref, by string, given map[int64]Cells, preview bool) ([]CheckedRow, error) {
	in, err := s.loadInput(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer in.close()
	if err := submit.CheckCorrectable(in.job, in.kind.Declaration()); err != nil {
		return nil, err
	}
	if err := in.checkRequest(given); err != nil {
		return nil, err
	}
	checked, err := s.checkRows(ctx, in, given)
	if err != nil {
		return nil, fmt.Errorf("correct rows of job %s: %w", in.job.ID, err)
	}
	if preview {
		return checked, nil
	}
	return checked, s.save(ctx, in.job, by, checked)
}

// checkRequest rejects values that cannot be corrections of any row.
func (in *input) checkRequest(given map[int64]Cells) error {
	invalid := problem.New(problem.ParameterInvalid, "The corrections are not valid.")
	for _, row := range sortedRows(given) {
		for _, field := range slices.Sorted(maps.Keys(given[row])) {
			value := given[row][field]
			at := fmt.Sprintf("rows.%d.%s", row, field)
			switch {
			case in.kind.Declaration().FieldIndex(field) < 0:
				invalid.With(at, problem.ParameterInvalid, "Unknown field.")
			case !in.plan.HasField(field):
				invalid.With(at, problem.ParameterInvalid, "No column of the file is matched to this field.")
			case !isScalar(value):
				invalid.With(at, problem.ParameterInvalid, "A string of up to 32,767 characters, a number, true, false or null.")
			}
		}
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

// isScalar reports whether a JSON value can be the value of a cell.
func isScalar(value json.RawMessage) bool {
	if len(value) == 0 || value[0] == '{' || value[0] == '[' {
		return false
	}
	if _, ok := pgtext.ValidJSON(value); !ok {
		return false
	}
	return utf8.RuneCount(value) <= maxCellLength+2
}

// checkRows reads the corrected rows and validates their corrections.
func (s *Service) checkRows(ctx context.Context, in *input, given map[int64]Cells) ([]CheckedRow, error) {
	var checked []CheckedRow
	closed := problem.New(problem.StateConflict, "Only rows with errors that were not fixed yet can be corrected.")
	numbers := sortedRows(given)
	for len(numbers) > 0 {
		e, err := s.nextEntry(ctx, in.job, numbers[0]-1, &rowFilter{})
		if err != nil {
			return nil, err
		}
		here := numbers
		if e != nil {
			end, _ := slices.BinarySearch(numbers, e.chunk.FirstRow+int64(e.chunk.Lines))
			here, numbers = numbers[:end], numbers[end:]
		} else {
			numbers = nil
		}
		here = slices.DeleteFunc(slices.Clone(here), func(row int64) bool {
			open := e != nil && row >= e.chunk.FirstRow && e.matches(&rowFilter{open: true}, row)
			if !open {
				closed.With("rows."+strconv.FormatInt(row, 10), problem.StateConflict, "This row has no open errors.")
			}
			return !open
		})
		if len(here) == 0 || len(closed.Fields) > 0 {
			continue
		}
		found, err := s.checkEntry(ctx, in, e, here, func(row int64, _ []rows.Value) (Cells, error) { return given[row], nil })
		if err != nil {
			return nil, err
		}
		checked = append(checked, found...)
	}
	if len(closed.Fields) > 0 {
		return nil, closed
	}
	return checked, nil
}

func sortedRows(given map[int64]Cells) []int64 { return slices.Sorted(maps.Keys(given)) }

// save saves the valid corrections by a person.
func (s *Service) save(ctx context.Context, j *job.Job, by string, checked []CheckedRow) error {
	var corrections []job.Correction
	for _, r := range checked {
		for _, c := range r.Cells {
			if c.Error == nil {
				corrections = append(corrections, job.Correction{Row: r.Row, Field: c.Field, Value: c.fieldIndex})
			}
		}
	}
	if len(corrections) == 0 {
		return nil
	}
	return s.store.InOrganisation(ctx, j.OrganisationID, func(tx pgx.Tx) error {
		kept, err := s.store.CountCorrections(ctx, tx, j.Key)
		if err != nil {
			return err
		}
		if kept+len(corrections) > maxCorrections {
			return problem.New(problem.StateConflict, "An import can have at most %d corrections. Correct the file and import it again.", maxCorrections)
		}
		if err := s.store.AddContributor(ctx, tx, j.Key, by); err != nil {
			return err
		}
		return s.store.SaveCorrections(ctx, tx, j, corrections)
	})
}

// unresolvedError returns the error for a text without a match.
func unresolvedError(def *entity.Field, text string) *rowwrite.Error {
	return &rowwrite.Error{
		Code: problem.CellUnresolved, Field: def.Name, Value: entity.Shorten(text),
		Message: def.Title + ": No match was found for this value. Enter the name or the ID of an existing entry.",
	}
}
