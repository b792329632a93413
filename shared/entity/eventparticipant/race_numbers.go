package eventparticipant

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// raceNumbers holds the race numbers in a file.
type raceNumbers struct {
	rowCounts map[string]int // number of rows with a number
	byRow     map[int64]string
}

func (r *raceNumbers) add(row int64, number string) {
	if number != "" {
		r.rowCounts[number]++
		r.byRow[row] = number
	}
}

// warnSharedNumbers adds a warning to rows with a race number that another participant has as
// well: in the file, or in the event unless the file changes that participant's number. It is
// not an error because some races give a number to a team.
func (w *partWriter) warnSharedNumbers(ctx context.Context, tx pgx.Tx) error {
	places := w.acceptedRows()
	shared := make(map[int]bool)
	lone := make(map[string]int) // index of the only row of the file with a number
	var asked []int
	for _, i := range places {
		number := w.Columns[raceNumber].String(i)
		if shared[i] = w.file.numbers.rowCounts[number] > 1; w.file.numbers.rowCounts[number] == 1 {
			lone[number] = i
			asked = append(asked, i)
		}
	}
	numbers := w.Columns[raceNumber].Pick(asked)
	_, err := entity.Query(ctx, tx, numberHolderQuery(`race_number`),
		[]entity.Param{entity.Int64Param(w.Organisation), entity.Int64Param(w.Context), entity.ArrayParam(&numbers)},
		func(v [][]byte) error {
			number, holder := string(v[0]), entity.Int64(v[1])
			i := lone[number]
			newNumber, ok := w.file.numbers.byRow[w.file.recognised.taken[holder]]
			shared[i] = shared[i] || w.people[i] != holder && (!ok || newNumber == number)
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up race numbers: %w", err)
	}
	for _, i := range places {
		if shared[i] {
			w.Results[i].Errors = append(w.Results[i].Errors, rowwrite.Error{
				Field: declaration.Fields[raceNumber].Name, Code: problem.RaceNumberShared, Value: entity.Shorten(w.Columns[raceNumber].String(i)),
				Message: "Another participant of the event or of this file has this race number.",
			})
		}
	}
	return nil
}
