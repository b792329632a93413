package eventparticipant

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/problem"
)

// partWriter writes one part of the file.
type partWriter struct {
	*entity.Batch
	file   *preparedFile
	report *report

	people     []int64            // ids of the rows' persons
	changed    map[int]bool       // rows that change a person
	categories []entity.Candidate // categories of the rows
	lists      [customListCount]customList
}

func (w *partWriter) run(ctx context.Context, tx pgx.Tx) error {
	w.Results = make([]entity.Result, w.Len())
	w.people, w.changed, w.categories = make([]int64, w.Len()), make(map[int]bool), make([]entity.Candidate, w.Len())
	if w.file.recognised == nil {
		var err error
		if w.file.recognised, err = w.file.people.recognise(ctx, tx, w.Batch); err != nil {
			return err
		}
	}
	for i := range w.Len() {
		for _, rejected := range []map[int64]rowwrite.Error{w.file.rejected, w.file.recognised.rejected} {
			if rowErr, ok := rejected[w.Row(i)]; ok {
				w.reject(i, rowErr)
			}
		}
	}
	if err := w.loadCategories(ctx, tx); err != nil {
		return err
	}
	for _, i := range w.acceptedRows() {
		if w.file.skipped[w.Row(i)] {
			w.Results[i] = entity.Result{
				Outcome: rowwrite.Skipped, Errors: []rowwrite.Error{personError(w.Batch, i, problem.CellUnresolved, "Rows about this person are skipped by decision.")},
			}
		}
	}
	if err := w.checkRegistrationNumbers(ctx, tx); err != nil {
		return err
	}
	for place := range customListCount {
		if err := w.loadCustomList(ctx, tx, place); err != nil {
			return err
		}
	}
	if err := w.ensurePeople(ctx, tx); err != nil {
		return err
	}
	return w.writeAccepted(ctx, tx)
}

// reject rejects row i with an error.
func (w *partWriter) reject(i int, f rowwrite.Error) {
	w.Results[i].Outcome = rowwrite.Errored
	w.Results[i].Errors = append(w.Results[i].Errors, f)
}

// acceptedRows returns the indexes of the rows that are neither rejected nor skipped.
func (w *partWriter) acceptedRows() []int {
	var places []int
	for i := range w.Results {
		if o := w.Results[i].Outcome; o != rowwrite.Errored && o != rowwrite.Skipped {
			places = append(places, i)
		}
	}
	return places
}

// loadCategories looks up the categories by name within the event.
func (w *partWriter) loadCategories(ctx context.Context, tx pgx.Tx) error {
	known, err := entity.CandidatesByName(ctx, tx, `SELECT id, name FROM event_categories WHERE event_id = $1`, w.Context)
	if err != nil {
		return fmt.Errorf("load categories of event %d: %w", w.Context, err)
	}
	for i := range w.Len() {
		name := w.Columns[categoryName].String(i)
		var ok bool
		if w.categories[i], ok = known[strings.ToLower(name)]; !ok {
			w.reject(i, rowwrite.Error{
				Field: declaration.Fields[categoryName].Name, Code: problem.CellUnresolved, Value: entity.Shorten(name),
				Message: "The event has no category with this name.",
			})
		}
	}
	return nil
}

// numberHolderQuery returns the SQL that finds the holders of the numbers $3 in a column of the
// event's entries. It compares with an array and does not join: for a join, which may visit every
// entry once for each row, the planner considers all indexes of entries equal (docs/decisions/0036).
func numberHolderQuery(column string) string {
	return `
		SELECT e.` + column + `, e.person_id
		FROM event_participants AS e
		WHERE e.organisation_id = $1 AND e.event_id = $2 AND e.` + column + ` = ANY($3::text[])`
}

// checkRegistrationNumbers rejects rows with the registration number of another participant.
func (w *partWriter) checkRegistrationNumbers(ctx context.Context, tx pgx.Tx) error {
	having := make(map[string][]int) // row indexes by number
	var asked []int
	for _, i := range w.acceptedRows() {
		if number := w.Columns[registrationNumber].String(i); number != "" {
			having[number] = append(having[number], i)
			asked = append(asked, i)
		}
	}
	numbers := w.Columns[registrationNumber].Pick(asked)
	_, err := entity.Query(ctx, tx, numberHolderQuery(`registration_number`),
		[]entity.Param{entity.Int64Param(w.Organisation), entity.Int64Param(w.Context), entity.ArrayParam(&numbers)},
		func(v [][]byte) error {
			for _, i := range having[string(v[0])] {
				if p := w.file.recognised.byRow[w.Row(i)]; p == nil || p.personID != entity.Int64(v[1]) {
					w.reject(i, rowwrite.Error{
						Field: declaration.Fields[registrationNumber].Name, Code: problem.AlreadyExists,
						Value: entity.Shorten(w.Columns[registrationNumber].String(i)), Message: "Another participant of the event has this number.",
					})
				}
			}
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up registration numbers: %w", err)
	}
	return nil
}

// writeAccepted registers the people of the valid rows. Values are added to the custom lists only
// here, so that rejected rows have no effect.
func (w *partWriter) writeAccepted(ctx context.Context, tx pgx.Tx) error {
	for place := range customListCount {
		if err := w.insertCustomValues(ctx, tx, place); err != nil {
			return err
		}
	}
	places := w.acceptedRows()
	if len(places) == 0 {
		return nil
	}
	if err := w.warnSharedNumbers(ctx, tx); err != nil {
		return err
	}
	if err := w.warnMoved(ctx, tx); err != nil {
		return err
	}
	return w.writeEntries(ctx, tx, w.Pick(places), places)
}

// unchangedCondition is the SQL condition that the event has the person's entry with all values of
// a row. LIMIT makes the planner use one index lookup for each row, and the order by a range of
// one key makes it choose the index on persons: it considers other indexes equal, with which all
// entries of the event are read for each row (docs/decisions/0012).
const unchangedCondition = `(
			SELECT o.category_id = v.category AND coalesce(v.number = o.registration_number, v.number IS NULL)
				AND coalesce(v.race = o.race_number, v.race IS NULL) AND coalesce(v.c1 = o.custom1_id, v.c1 IS NULL)
				AND coalesce(v.c2 = o.custom2_id, v.c2 IS NULL) AND coalesce(v.c3 = o.custom3_id, v.c3 IS NULL)
			FROM event_participants AS o
			WHERE o.organisation_id = $1 AND (o.event_id, o.person_id) BETWEEN ($3, v.person) AND ($3, v.person)
			ORDER BY o.event_id, o.person_id
			LIMIT 1
		)`

// writeEntries writes the entries that rows change, and sets the results of the rows. No other
// row of the file is about the same person, so a row that changes nothing can be skipped.
func (w *partWriter) writeEntries(ctx context.Context, tx pgx.Tx, b *entity.Batch, places []int) error {
	rowOf := make(map[int64]int, len(places))
	ids, people := entity.NewColumn(entity.Reference, len(places)), entity.NewColumn(entity.Reference, len(places))
	for _, i := range places {
		rowOf[w.Row(i)] = i
		if w.Results[i].Outcome = rowwrite.Unchanged; w.changed[i] {
			w.Results[i].Outcome = rowwrite.Updated
		}
		people.AppendInt64(w.people[i])
		w.report.countParticipant(w.categories[i].Name)
		ids.AppendInt64(w.categories[i].ID)
	}
	params := []entity.Param{
		entity.Int64Param(w.Organisation), entity.Int64Param(w.JobKey), entity.Int64Param(w.Context), entity.ArrayParam(&b.Rows), entity.ArrayParam(&people),
		entity.ArrayParam(&ids), entity.ArrayParam(&b.Columns[registrationNumber]), entity.ArrayParam(&b.Columns[raceNumber]),
	}
	for place := range customListCount {
		customs := entity.NewColumn(entity.Reference, len(places))
		for _, i := range places {
			if id := w.lists[place].valueID(w.Columns[custom1+place].String(i)); id != 0 {
				customs.AppendInt64(id)
			} else {
				customs.AppendNull()
			}
		}
		params = append(params, entity.ArrayParam(&customs))
	}
	// Without sorting, the lookup of unchangedCondition uses the index that provides its order.
	err := entity.QueryWithout(ctx, tx, []string{"enable_sort", "enable_incremental_sort"}, `
		INSERT INTO event_participants AS e (organisation_id, source_job, event_id, source_row, person_id, category_id,
			registration_number, race_number, custom1_id, custom2_id, custom3_id)
		SELECT $1, $2, $3, v.r, v.person, v.category, v.number, v.race, v.c1, v.c2, v.c3
		FROM unnest($4::int8[], $5::int8[], $6::int8[], $7::text[], $8::text[], $9::int8[], $10::int8[], $11::int8[])
			AS v(r, person, category, number, race, c1, c2, c3)
		WHERE `+unchangedCondition+` IS NOT TRUE
		ORDER BY v.person
		ON CONFLICT (organisation_id, event_id, person_id) DO UPDATE SET
			category_id = excluded.category_id, registration_number = coalesce(excluded.registration_number, e.registration_number),
			race_number = coalesce(excluded.race_number, e.race_number), custom1_id = coalesce(excluded.custom1_id, e.custom1_id),
			custom2_id = coalesce(excluded.custom2_id, e.custom2_id), custom3_id = coalesce(excluded.custom3_id, e.custom3_id),
			source_job = excluded.source_job, source_row = excluded.source_row
		WHERE `+entity.MarkUpdated(`excluded.source_row`)+`
		RETURNING source_row, `+entity.IsCreated, params, func(v [][]byte) error {
		i := rowOf[entity.Int64(v[0])]
		w.Results[i].Outcome = rowwrite.Updated
		if entity.Int64(v[1]) == 1 {
			w.Results[i].Outcome = rowwrite.Created
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("write participants: %w", err)
	}
	return nil
}
