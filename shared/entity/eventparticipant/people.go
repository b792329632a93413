package eventparticipant

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/job/tenant"
	"github.com/loadbay/loadbay/shared/problem"
)

// ensurePeople finds the persons of the accepted rows, corrects those who are recognised, and adds
// the others.
func (w *partWriter) ensurePeople(ctx context.Context, tx pgx.Tx) error {
	var corrections []correction
	var others []int
	for _, i := range w.acceptedRows() {
		p := w.file.recognised.byRow[w.Row(i)]
		if p == nil {
			others = append(others, i)
			continue
		}
		who := rowIdentity(w.Batch, i)
		w.people[i] = p.personID
		if !p.isChosen && !same(who.number, p.number) && !who.sameName(&p.identity) {
			w.warnPerson(i, "This row renames "+describe(&p.identity)+", who has the same e-mail address. If this is another person, add an identity number or a birth date to both and import the file again.")
		}
		if c, ok := newCorrection(i, p, who, true); ok {
			corrections = append(corrections, c)
		}
	}
	if err := w.correctPersons(ctx, tx, corrections); err != nil {
		return err
	}
	return w.addPersons(ctx, tx, others)
}

// warnPerson adds a warning about a row's person.
func (w *partWriter) warnPerson(i int, message string) {
	w.Results[i].Errors = append(w.Results[i].Errors, personError(w.Batch, i, problem.IdentityAmbiguous, message))
}

// personError returns the error or warning about the person of row i. It shows the address, or else
// the last name.
func personError(b *entity.Batch, i int, code problem.Code, message string) rowwrite.Error {
	field, value := email, b.Columns[email].String(i)
	if value == "" {
		field, value = lastName, b.Columns[lastName].String(i)
	}
	return rowwrite.Error{Field: declaration.Fields[field].Name, Code: code, Value: entity.Shorten(value), Message: message}
}

func describe(who *identity) string {
	if who.email == "" {
		return entity.Shorten(who.name.String())
	}
	return entity.Shorten(who.name.String() + " (" + who.email + ")")
}

// personsByKey returns the persons of the organisation with the identity keys, and locks them
// until the transaction ends. All callers lock them in the same order.
func (w *partWriter) personsByKey(ctx context.Context, tx pgx.Tx, keys []string) (map[string]*participant, error) {
	return queryPersonsByKey(ctx, tx, w.Organisation, keys, `FOR NO KEY UPDATE`)
}

// queryPersonsByKey returns the persons of the organisation with the identity keys.
func queryPersonsByKey(ctx context.Context, tx pgx.Tx, organisation tenant.ID, keys []string, locking string) (map[string]*participant, error) {
	column := entity.NewColumn(entity.Text, len(keys))
	slices.Sort(keys)
	for _, key := range slices.Compact(keys) {
		column.AppendText([]byte(key))
	}
	found := make(map[string]*participant)
	err := eachPerson(ctx, tx, organisation, `p.identity_key = ANY($2::text[]) ORDER BY p.identity_key `+locking, &column, func(p *participant) { found[p.key] = p })
	return found, err
}

// eachPerson calls each with every person of the organisation that meets the condition on $2.
func eachPerson(ctx context.Context, tx pgx.Tx, organisation tenant.ID, condition string, param *entity.Column, each func(*participant)) error {
	_, err := entity.Query(ctx, tx, `
		SELECT p.id, p.identity_key, p.first_name, p.last_name, p.identity_number, p.email, p.birth_date
		FROM persons AS p
		WHERE p.organisation_id = $1 AND `+condition,
		[]entity.Param{entity.Int64Param(organisation), entity.ArrayParam(param)}, func(v [][]byte) error {
			each(&participant{
				personID: entity.Int64(v[0]), key: string(v[1]),
				identity: newIdentity(entity.PersonName{First: string(v[2]), Last: string(v[3])}, string(v[4]), string(v[5]), "", v[6]),
			})
			return nil
		})
	if err != nil {
		return fmt.Errorf("look up persons: %w", err)
	}
	return nil
}

// addPersons finds the persons of rows about nobody in the event by their key, and adds those who
// are not known in the organisation.
func (w *partWriter) addPersons(ctx context.Context, tx pgx.Tx, rows []int) error {
	if len(rows) == 0 {
		return nil
	}
	var asked []string
	for _, i := range rows {
		who := rowIdentity(w.Batch, i)
		asked = append(asked, who.key(), who.ownKey())
	}
	known, err := w.personsByKey(ctx, tx, asked)
	if err != nil {
		return err
	}
	var corrections []correction
	added := make(map[string]int) // row index by key
	for _, i := range rows {
		if c, ok := w.placePerson(i, known, added); ok {
			corrections = append(corrections, c)
		}
	}
	if err := w.correctPersons(ctx, tx, corrections); err != nil {
		return err
	}
	return w.insertPersons(ctx, tx, added)
}

// placePerson sets the person of a row about nobody in the event, or adds the row to those that
// add one. It returns the correction of a person that the organisation knows.
func (w *partWriter) placePerson(i int, known map[string]*participant, added map[string]int) (correction, bool) {
	who := rowIdentity(w.Batch, i)
	similar := w.file.recognised.similar[w.Row(i)]
	key := who.key()
	p := known[key]
	_, repeated := added[key]
	if p != nil && w.isFree(p, i) && (who.number != "" || who.sameName(&p.identity)) {
		w.people[i] = p.personID
		w.file.recognised.taken[p.personID] = w.Row(i)
		return newCorrection(i, p, who, who.number != "")
	}
	if p != nil || repeated {
		// A relative with a row of their own needs no warning.
		if similar == nil && p != nil && (w.file.recognised.taken[p.personID] == 0 || who.sameName(&p.identity)) {
			similar = p
		}
		key = who.ownKey()
		p = known[key]
		if _, repeated = added[key]; repeated || p != nil && !w.isFree(p, i) {
			w.reject(i, personError(w.Batch, i, problem.IdentityAmbiguous, "Several people of this event have this name and address. Add an identity number or a birth date that tells them apart."))
			return correction{}, false
		}
	}
	if similar != nil && !w.file.people.isNew[w.Row(i)] {
		w.warnPerson(i, "This row is entered as another person than "+describe(&similar.identity)+". If both are one person, add the same identity number or birth date to both and import the file again.")
	}
	if p != nil {
		w.people[i] = p.personID
		w.file.recognised.taken[p.personID] = w.Row(i)
		return correction{}, false
	}
	added[key] = i
	return correction{}, false
}

// isFree reports whether no other row, and nobody who was in the event before, is the person.
func (w *partWriter) isFree(p *participant, i int) bool {
	row, taken := w.file.recognised.taken[p.personID]
	return !taken || row == w.Row(i)
}

// insertPersons adds the persons of rows, by key.
func (w *partWriter) insertPersons(ctx context.Context, tx pgx.Tx, added map[string]int) error {
	if len(added) == 0 {
		return nil
	}
	keys, places := entity.NewColumn(entity.Text, len(added)), make([]int, 0, len(added))
	names := make([]string, 0, len(added))
	for key := range added {
		names = append(names, key)
	}
	slices.Sort(names) // one order of locks for all who write people at the same time
	for _, key := range names {
		keys.AppendText([]byte(key))
		places = append(places, added[key])
	}
	b := w.Pick(places)
	_, err := entity.Exec(ctx, tx, `
		INSERT INTO persons (organisation_id, source_job, source_row, identity_key, first_name, last_name, email, identity_number, birth_date)
		SELECT $1, $2, v.*
		FROM (
			SELECT * FROM unnest($3::int8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::date[]) AS u(r, k, fn, ln, em, idn, bd)
			ORDER BY k, r
		) AS v
		ON CONFLICT (organisation_id, identity_key) DO NOTHING`,
		[]entity.Param{
			entity.Int64Param(w.Organisation), entity.Int64Param(w.JobKey), entity.ArrayParam(&b.Rows), entity.ArrayParam(&keys),
			entity.ArrayParam(&b.Columns[firstName]), entity.ArrayParam(&b.Columns[lastName]), entity.ArrayParam(&b.Columns[email]),
			entity.ArrayParam(&b.Columns[identityNumber]), entity.ArrayParam(&b.Columns[birthDate]),
		})
	if err != nil {
		return fmt.Errorf("add persons: %w", err)
	}
	made, err := w.personsByKey(ctx, tx, names)
	if err != nil {
		return err
	}
	for key, i := range added {
		p := made[key]
		if who := rowIdentity(w.Batch, i); p == nil || who.number == "" && !who.sameName(&p.identity) {
			return fmt.Errorf("add persons: another import has added a person with the key of row %d", w.Row(i))
		}
		w.people[i] = p.personID
		w.file.recognised.taken[p.personID] = w.Row(i)
	}
	return nil
}
