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
	for _, i := range places {
		shared[i] = w.pass.numbers.rows[w.Columns[raceNumber].String(i)] > 1
	}
	numbers, keys := w.Columns[raceNumber].Pick(places), w.keyColumn(places)
	_, err := entity.Query(ctx, tx, `
		SELECT v.place, p.identity_key
		FROM unnest($3::text[], $4::text[]) WITH ORDINALITY AS v(number, k, place)
		JOIN event_participants AS e ON e.organisation_id = $1 AND e.event_id = $2 AND e.race_number = v.number
		JOIN persons AS p ON p.organisation_id = $1 AND p.id = e.person_id AND p.identity_key <> v.k`,
		[]entity.Param{entity.Int64Param(w.Organisation), entity.Int64Param(w.Context), entity.ArrayParam(&numbers), entity.ArrayParam(&keys)},
		func(v [][]byte) error {
			i := places[entity.Int64(v[0])-1]
			given, ok := w.pass.numbers.of[string(v[1])]
			shared[i] = shared[i] || !ok || given == w.Columns[raceNumber].String(i)
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
