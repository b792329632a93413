package eventparticipant

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// customField returns the field for a participant's value from one of the event's lists.
func customField(place int) entity.Field {
	return entity.Field{
		Name: fmt.Sprintf("CUSTOM_LIST_%d", place), Column: fmt.Sprintf("custom%d", place), Expr: fmt.Sprintf("v%d.value", place), Title: fmt.Sprintf("Custom %d", place),
		Kind: entity.Text, MaxLength: 200, Aliases: []string{
			fmt.Sprintf("Custom list %d", place), fmt.Sprintf("Eigenes Feld %d", place), fmt.Sprintf("Champ personnalisé %d", place),
			fmt.Sprintf("Campo personalizado %d", place), fmt.Sprintf("Eigen veld %d", place),
		}, Lookup: customLookup(place),
	}
}

// customLookup finds the values of a list by their text, in any case, like the type itself.
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
		ContextScoped: true,
		AddOption:     createOption(place),
		List:          &entity.List{Table: "custom_list_values", Column: "value", Reference: fmt.Sprintf("custom%d_id", place)},
	}
}

// createOption returns the name of the option that allows adding values to a list.
func createOption(place int) string { return fmt.Sprintf("createCustom%d", place) }

// customList is one of an event's lists.
type customList struct {
	id       int64 // 0 if the event has none
	valueIDs map[string]entity.Candidate
}

// valueID returns the id of a value; 0 for an empty text and for values missing from the list.
func (l *customList) valueID(text string) int64 { return l.valueIDs[strings.ToLower(text)].ID }

// loadCustomList loads one custom list. It rejects rows with values that are not in the list,
// unless missing values may be added.
func (w *partWriter) loadCustomList(ctx context.Context, tx pgx.Tx, place int) error {
	list := &w.lists[place]
	err := tx.QueryRow(ctx, `SELECT id FROM custom_lists WHERE event_id = $1 AND place = $2`, w.Context, place+1).Scan(&list.id)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return fmt.Errorf("load custom list %d of event %d: %w", place+1, w.Context, err)
	}
	if err := list.loadValues(ctx, tx); err != nil {
		return err
	}
	if !w.file.createValues[place] {
		w.rejectUnlisted(place)
	}
	return nil
}

// rejectUnlisted rejects the rows with values that are not in the list.
func (w *partWriter) rejectUnlisted(place int) {
	list := &w.lists[place]
	for _, i := range w.acceptedRows() {
		if text := w.Columns[custom1+place].String(i); text != "" && list.valueID(text) == 0 {
			w.reject(i, rowwrite.Error{
				Field: declaration.Fields[custom1+place].Name, Code: problem.CellUnresolved, Value: entity.Shorten(text),
				Message: "The list does not contain this value.",
			})
		}
	}
}

// loadValues loads the list's values by their text in lower case.
func (l *customList) loadValues(ctx context.Context, tx pgx.Tx) (err error) {
	if l.valueIDs, err = entity.CandidatesByName(ctx, tx, `SELECT id, value FROM custom_list_values WHERE list_id = $1`, l.id); err != nil {
		return fmt.Errorf("load values of custom list %d: %w", l.id, err)
	}
	return nil
}

// insertCustomValues adds missing values to one custom list, in the spelling of their first
// accepted row, and creates the list if the event has none.
func (w *partWriter) insertCustomValues(ctx context.Context, tx pgx.Tx, place int) error {
	list := &w.lists[place]
	var missing []string
	seen := make(map[string]bool)
	for _, i := range w.acceptedRows() {
		text := w.Columns[custom1+place].String(i)
		if folded := strings.ToLower(text); text != "" && list.valueID(text) == 0 && !seen[folded] {
			seen[folded] = true
			missing = append(missing, text)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if err := w.createList(ctx, tx, place); err != nil {
		return err
	}
	tag, err := tx.Exec(ctx, `
		INSERT INTO custom_list_values (organisation_id, list_id, value)
		SELECT $1, $2, v FROM unnest($3::text[]) AS v
		ON CONFLICT (organisation_id, list_id, lower(value)) DO NOTHING`, w.Organisation, list.id, missing)
	if err != nil {
		return fmt.Errorf("add %d values to custom list %d: %w", len(missing), list.id, err)
	}
	w.report.CustomValuesCreated[place] += int(tag.RowsAffected())
	if err := list.loadValues(ctx, tx); err != nil {
		return err
	}
	w.rejectUnlisted(place) // values that only the database considers equal to another
	return nil
}

// createList creates the event's list if it does not exist.
func (w *partWriter) createList(ctx context.Context, tx pgx.Tx, place int) error {
	if w.lists[place].id != 0 {
		return nil
	}
	err := tx.QueryRow(ctx, `
		INSERT INTO custom_lists (organisation_id, event_id, place, name)
		VALUES ($1, $2, $3, $4)
		RETURNING id`, w.Organisation, w.Context, place+1, declaration.Fields[custom1+place].Title).Scan(&w.lists[place].id)
	if err != nil {
		return fmt.Errorf("create custom list %d of event %d: %w", place+1, w.Context, err)
	}
	w.report.CustomListsCreated++
	return nil
}
