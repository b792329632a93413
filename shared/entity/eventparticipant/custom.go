package eventparticipant

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/problem"
)

// customField is what a participant has of one of an event's lists.
func customField(place int) entity.Field {
	return entity.Field{
		Name: fmt.Sprintf("CUSTOM_LIST_%d", place), Column: fmt.Sprintf("custom%d", place), Source: fmt.Sprintf("v%d.value", place), Title: fmt.Sprintf("Custom %d", place),
		Kind: entity.Text, MaxLength: 200, Aliases: []string{fmt.Sprintf("Custom list %d", place)}, Lookup: customLookup(place),
	}
}

// customLookup finds the values of a list as the type does: by their text, in any case.
func customLookup(place int) *entity.Lookup {
	return &entity.Lookup{
		Match: fmt.Sprintf(`
			SELECT v.place, m.id
			FROM unnest($1) WITH ORDINALITY AS v(word, place)
			JOIN (
				SELECT m.id, lower(m.value) AS word
				FROM custom_lists AS l
				JOIN custom_list_values AS m ON m.list_id = l.id
				WHERE l.event_id = $2 AND l.place = %d
			) AS m ON m.word = lower(v.word)`, place),
		Candidates: fmt.Sprintf(`
			SELECT m.id, m.value AS name
			FROM custom_lists AS l
			JOIN custom_list_values AS m ON m.list_id = l.id
			WHERE l.event_id = $1 AND l.place = %d
			ORDER BY m.value, m.id`, place),
		OfContext: true,
		Adds:      createOption(place),
	}
}

// createOption is the option that lets values be added to a list.
func createOption(place int) string { return fmt.Sprintf("createCustom%d", place) }

// customList is one of an event's lists.
type customList struct {
	id    int64 // 0 where the event has none
	known map[string]entity.Candidate
}

// value returns the id of a value; 0 for an empty text and for one that the list lacks.
func (l *customList) value(text string) int64 { return l.known[strings.ToLower(text)].ID }

// findCustom reads one custom list. Rows with values that it lacks are refused where
// values are not to be added to it.
func (w *writing) findCustom(ctx context.Context, tx pgx.Tx, place int) error {
	list := &w.lists[place]
	err := tx.QueryRow(ctx, `SELECT id FROM custom_lists WHERE event_id = $1 AND place = $2`, w.Context, place+1).Scan(&list.id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("custom list %d of event %d: %w", place+1, w.Context, err)
	}
	if err := list.read(ctx, tx); err != nil {
		return err
	}
	if !w.pass.create[place] {
		w.refuseUnlisted(place)
	}
	return nil
}

// refuseUnlisted refuses the rows with values that the list lacks.
func (w *writing) refuseUnlisted(place int) {
	list := &w.lists[place]
	for _, i := range w.taken() {
		if text := w.Columns[custom1+place].String(i); text != "" && list.value(text) == 0 {
			w.refuse(i, entity.RowError{
				Field: declaration.Fields[custom1+place].Name, Code: problem.CellUnresolved, Value: entity.Shorten(text),
				Message: "The list does not hold this value, and it is not added.",
			})
		}
	}
}

// read reads the list's values by their text in lower case.
func (l *customList) read(ctx context.Context, tx pgx.Tx) (err error) {
	if l.known, err = entity.ByName(ctx, tx, `SELECT id, value FROM custom_list_values WHERE list_id = $1`, l.id); err != nil {
		return fmt.Errorf("values of custom list %d: %w", l.id, err)
	}
	return nil
}

// addCustom adds the values that one custom list lacks, as they are first written in
// the rows that are taken, and the list itself where the event has none.
func (w *writing) addCustom(ctx context.Context, tx pgx.Tx, place int) error {
	list := &w.lists[place]
	var missing []string
	seen := make(map[string]bool)
	for _, i := range w.taken() {
		text := w.Columns[custom1+place].String(i)
		if folded := strings.ToLower(text); text != "" && list.value(text) == 0 && !seen[folded] {
			seen[folded] = true
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := w.makeList(ctx, tx, place); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO custom_list_values (organisation_id, list_id, value)
		SELECT $1, $2, v FROM unnest($3::text[]) AS v
		ON CONFLICT DO NOTHING`, w.Organisation, list.id, missing)
	if err != nil {
		return fmt.Errorf("add %d values to custom list %d: %w", len(missing), list.id, err)
	}
	w.report.CustomValuesCreated[place] += int(tag.RowsAffected())
	if err := list.read(ctx, tx); err != nil {
		return err
	}
	w.refuseUnlisted(place) // those in which only the database sees the same letters
	return nil
}

// makeList makes the event's list where there is none.
func (w *writing) makeList(ctx context.Context, tx pgx.Tx, place int) error {
	if w.lists[place].id != 0 {
		return nil
	}
	err := tx.QueryRow(ctx, `
		INSERT INTO custom_lists (organisation_id, event_id, place, name)
		VALUES ($1, $2, $3, $4)
		RETURNING id`, w.Organisation, w.Context, place+1, declaration.Fields[custom1+place].Title).Scan(&w.lists[place].id)
	if err != nil {
		return fmt.Errorf("make custom list %d of event %d: %w", place+1, w.Context, err)
	}
	w.report.CustomListsCreated++
	return nil
}
