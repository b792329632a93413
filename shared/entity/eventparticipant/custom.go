package eventparticipant

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// findCustom finds the values of one custom list. Those that the list lacks are
// added, and the list itself where the event has none, or their rows refused.
func (w *writing) findCustom(ctx context.Context, tx pgx.Tx, place int) error {
	column := &w.Columns[custom1+place]
	var rows []int
	for _, i := range w.taken() {
		if column.String(i) != "" {
			rows = append(rows, i)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	list, err := w.list(ctx, tx, place)
	if err != nil {
		return err
	}
	known, err := values(ctx, tx, list)
	if err != nil {
		return err
	}
	if w.pass.create[place] {
		if err := w.addValues(ctx, tx, place, list, rows, known); err != nil {
			return err
		}
	}
	for _, i := range rows {
		text := column.String(i)
		value, ok := known[strings.ToLower(text)]
		if !ok {
			w.refuse(i, entity.RowError{
				Field: declaration.Fields[custom1+place].Name, Code: problem.CellUnresolved, Value: entity.Shorten(text),
				Message: "The list does not hold this value, and values are not to be added to it.",
			})
		}
		w.customs[place][i] = value.ID
	}
	return nil
}

// list returns the id of the event's list; 0 if there is none and none is to be made.
func (w *writing) list(ctx context.Context, tx pgx.Tx, place int) (id int64, err error) {
	err = tx.QueryRow(ctx, `SELECT id FROM custom_lists WHERE event_id = $1 AND place = $2`, w.Context, place+1).Scan(&id)
	if errors.Is(err, pgx.ErrNoRows) && !w.pass.create[place] {
		return 0, nil
	}
	if errors.Is(err, pgx.ErrNoRows) {
		w.report.CustomListsCreated++
		err = tx.QueryRow(ctx, `
			INSERT INTO custom_lists (organisation_id, event_id, place, name)
			VALUES ($1, $2, $3, $4)
			RETURNING id`, w.Organisation, w.Context, place+1, declaration.Fields[custom1+place].Title).Scan(&id)
	}
	if err != nil {
		return 0, fmt.Errorf("custom list %d of event %d: %w", place+1, w.Context, err)
	}
	return id, nil
}

// values returns the ids of a list's values by their text in lower case.
func values(ctx context.Context, tx pgx.Tx, list int64) (map[string]entity.Candidate, error) {
	found, err := entity.ByName(ctx, tx, `SELECT id, value FROM custom_list_values WHERE list_id = $1`, list)
	if err != nil {
		return nil, fmt.Errorf("values of custom list %d: %w", list, err)
	}
	return found, nil
}

// addValues adds the values of those rows that the list lacks, as they are first
// written in the file.
func (w *writing) addValues(ctx context.Context, tx pgx.Tx, place int, list int64, rows []int, known map[string]entity.Candidate) error {
	var missing []string
	for _, i := range rows {
		text := w.Columns[custom1+place].String(i)
		same := func(other string) bool { return strings.EqualFold(other, text) }
		if _, ok := known[strings.ToLower(text)]; !ok && !slices.ContainsFunc(missing, same) {
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO custom_list_values (organisation_id, list_id, value)
		SELECT $1, $2, v FROM unnest($3::text[]) AS v
		ON CONFLICT DO NOTHING`, w.Organisation, list, missing)
	if err != nil {
		return fmt.Errorf("add %d values to custom list %d: %w", len(missing), list, err)
	}
	w.report.CustomValuesCreated[place] += int(tag.RowsAffected())
	added, err := values(ctx, tx, list)
	if err != nil {
		return err
	}
	maps.Copy(known, added)
	return nil
}
