package eventparticipant

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// raceNumbers are the race numbers that a file gives.
type raceNumbers struct {
	rows map[string]int    // how many rows give a number
	of   map[string]string // number by the person's key
}

func (r *raceNumbers) add(person, number string) {
	if number != "" {
		r.rows[number]++
		r.of[person] = number
	}
}

// warnShared remarks on rows whose race number another participant has: in the file,
// or in the event, unless the file gives that one another number. Some races give a
// number to a team, so it is a warning.
func (w *writing) warnShared(ctx context.Context, tx pgx.Tx) error {
	places := w.taken()
	shared := make(map[int]bool)
	lone := make(map[string]int) // the place of the only row of the file that gives a number
	var asked []int
	for _, i := range places {
		number := w.Columns[raceNumber].String(i)
		if shared[i] = w.pass.numbers.rows[number] > 1; w.pass.numbers.rows[number] == 1 {
			lone[number] = i
			asked = append(asked, i)
		}
	}
	numbers := w.Columns[raceNumber].Pick(asked)
	_, err := entity.Query(ctx, tx, whoHas(`race_number`),
		[]entity.Param{entity.Int64Param(w.Organisation), entity.Int64Param(w.Context), entity.ArrayParam(&numbers)},
		func(v [][]byte) error {
			number, key := string(v[0]), string(v[1])
			i := lone[number]
			given, ok := w.pass.numbers.of[key]
			shared[i] = shared[i] || w.keys[i] != key && (!ok || given == number)
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up race numbers: %w", err)
	}
	for _, i := range places {
		if shared[i] {
			w.Results[i].Errors = append(w.Results[i].Errors, entity.RowError{
				Field: declaration.Fields[raceNumber].Name, Code: problem.WarnNumberShared, Value: entity.Shorten(w.Columns[raceNumber].String(i)),
				Message: "Another participant of the event, or of this file, has this race number.",
			})
		}
	}
	return nil
}
