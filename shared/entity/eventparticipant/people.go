package eventparticipant

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// ensurePeople inserts unknown people, and rejects rows with the e-mail address of another
// person. Known people are not changed: an event's roster lists participants and does not
// update their data.
func (w *partWriter) ensurePeople(ctx context.Context, tx pgx.Tx) error {
	places := w.acceptedRows()
	if len(places) == 0 {
		return nil
	}
	b, keys := w.Pick(places), w.keyColumn(places)
	_, err := entity.Exec(ctx, tx, `
		INSERT INTO persons (organisation_id, source_job, source_row, identity_key, first_name, last_name, email, identity_number, birth_date)
		SELECT $1, $2, v.*
		FROM (
			SELECT * FROM unnest($3::int8[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::date[]) AS u(r, k, fn, ln, em, idn, bd)
			ORDER BY k, r -- one order of locks for all who write people at the same time
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
	return w.rejectAmbiguous(ctx, tx, places)
}

// rejectAmbiguous rejects the rows at places that identify a person only by an e-mail address
// and have another name.
func (w *partWriter) rejectAmbiguous(ctx context.Context, tx pgx.Tx, places []int) error {
	var weak []int
	for _, i := range places {
		if entity.IsWeakKey(w.keys[i]) {
			weak = append(weak, i)
		}
	}
	if len(weak) == 0 {
		return nil
	}
	keys := w.keyColumn(weak)
	known, err := entity.LockPersons(ctx, tx, w.Organisation, &keys)
	if err != nil {
		return err
	}
	for _, i := range weak {
		if met := known[w.keys[i]].Name; !met.EqualFold(personName(w.Batch, i)) {
			w.reject(i, entity.AmbiguousPersonError(w.Columns[email].String(i), met))
		}
	}
	return nil
}
