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
	"github.com/loadbay/loadbay/shared/pgtext"
	"github.com/loadbay/loadbay/shared/problem"
	"github.com/loadbay/loadbay/shared/rows"
)

// Bounds of what is said of rows.
const (
	// MaxRows is the most rows that one call names.
	MaxRows = 200
	// maxCorrections is the most corrections that are kept of an import.
	maxCorrections = 100_000
	// maxCellLength is the most characters of a correction, which are those of a cell.
	maxCellLength = 32_767
)

// Cells are what fields of a row are to be read as: see job.Correction.Value.
type Cells map[string]json.RawMessage

// CheckedRow is what corrections of a row come to.
type CheckedRow struct {
	Row   int64
	Cells []CheckedCell // in the order of the type's fields
	// Remaining is what would still be wrong with the row, as far as its cells alone show it.
	Remaining []job.RowError
}

// CheckedCell is one correction: it is kept if nothing is wrong with it.
type CheckedCell struct {
	rows.Value
	Before     string // what the field was read as before
	fieldIndex json.RawMessage
}

// Correct checks corrections of rows as cells are checked, and keeps those that are valid;
// with preview it keeps none. STATE_CONFLICT names the rows that are not open.
func (s *Service) Correct(ctx context.Context, ref job.Ref, given map[int64]Cells, preview bool) ([]CheckedRow, error) {
	in, err := s.loadInput(ctx, ref)
	if err != nil {
		return nil, err
	}
	defer in.file.Close()
	if err := submit.CheckRetryable(in.job, in.kind.Declaration()); err != nil {
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
	return checked, s.save(ctx, in.job, checked)
}

// checkRequest refuses what cannot be a correction, whatever the rows hold.
func (in *input) checkRequest(given map[int64]Cells) error {
	invalid := problem.New(problem.ParameterInvalid, "The corrections are not valid.")
	for _, row := range sortedRows(given) {
		for _, field := range slices.Sorted(maps.Keys(given[row])) {
			value := given[row][field]
			at := fmt.Sprintf("rows.%d.%s", row, field)
			switch {
			case in.kind.Declaration().FieldIndex(field) < 0:
				invalid.With(at, problem.ParameterInvalid, "There is no such field.")
			case !in.plan.HasField(field):
				invalid.With(at, problem.ParameterInvalid, "No column of the file is this field.")
			case !isScalar(value):
				invalid.With(at, problem.ParameterInvalid, "A text of up to 32,767 characters, a number, true or false, or null.")
			}
		}
	}
	if len(invalid.Fields) > 0 {
		return invalid
	}
	return nil
}

// isScalar reports whether a JSON value can be one of a cell.
func isScalar(value json.RawMessage) bool {
	if len(value) == 0 || value[0] == '{' || value[0] == '[' {
		return false
	}
	if _, ok := pgtext.ValidJSON(value); !ok {
		return false
	}
	return utf8.RuneCount(value) <= maxCellLength+2
}

// checkRows reads the rows that are corrected, and judges what they are corrected to.
func (s *Service) checkRows(ctx context.Context, in *input, given map[int64]Cells) ([]CheckedRow, error) {
	var checked []CheckedRow
	closed := problem.New(problem.StateConflict, "Only rows that are in error, and that nobody has put right, can be corrected.")
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
				closed.With("rows."+strconv.FormatInt(row, 10), problem.StateConflict, "This row is not open.")
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

// save keeps the corrections that are valid.
func (s *Service) save(ctx context.Context, j *job.Job, checked []CheckedRow) error {
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
			return problem.New(problem.StateConflict, "Of an import, %d corrections are kept. Correct the file, and import it as a whole.", maxCorrections)
		}
		return s.store.SaveCorrections(ctx, tx, j, corrections)
	})
}

// unresolvedError is the fault of a text that stands for nothing.
func unresolvedError(def *entity.Field, text string) *job.RowError {
	return &job.RowError{
		Code: string(problem.CellUnresolved), Field: def.Name, Value: entity.Shorten(text),
		Message: def.Title + ": This value stands for nothing that is known. Write the name of what is meant, or its id.",
	}
}
