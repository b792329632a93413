package membership

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// updateKnown updates known people with the values of the rows.
func (p *people) updateKnown(ctx context.Context, tx pgx.Tx, b *entity.Batch, rows []int) error {
	var known []int
	for _, i := range rows {
		if person, ok := p.known[p.keys[i]]; ok && updatesPerson(b, i, person) {
			known = append(known, i)
		}
	}
	if len(known) == 0 {
		return nil
	}
	values := displaceAssignments
	if b.Mode == rowwrite.Upsert {
		values = upsertAssignments()
	}
	part, keys := b.Pick(known), p.keyColumn(known)
	if _, err := entity.Exec(ctx, tx, `UPDATE persons AS p`+values, personArgs(part, &keys)); err != nil {
		return fmt.Errorf("update persons: %w", err)
	}
	return nil
}

// updatesPerson reports whether row i writes to a known person. Insert mode does not change
// people, unless a later row of the same roster has written them first because chunks run
// concurrently. Of several rows about a person, the first counts.
func updatesPerson(b *entity.Batch, i int, known entity.KnownPerson) bool {
	if known.JobKey == b.JobKey {
		return known.Row > b.Row(i)
	}
	return b.Mode == rowwrite.Upsert
}

// knownPersonRows joins the people of a batch with their ids, as known.
const knownPersonRows = personRows + `
		CROSS JOIN LATERAL (` + personLookup + `) AS known`

// displaceAssignments replaces a later row that created the person by an earlier one.
const displaceAssignments = `
		SET first_name = v.fn, last_name = v.ln, email = v.em, identity_number = v.idn, birth_date = v.bd, gender = v.ge,
			phone = v.ph, country_id = v.co, source_row = v.r
		FROM ` + knownPersonRows + `
		WHERE p.id = known.id`

// upsertAssignments returns the assignments with which an upsert updates a known person. Where a
// row has no value, the value before this import remains, even if a later row of the file has
// meanwhile written its own value.
func upsertAssignments() string {
	return `
		SET first_name = v.fn, last_name = v.ln,
		email           = coalesce(v.em, ` + valueBeforeImport("p", "$2", "email", "text") + `),
		identity_number = coalesce(v.idn, ` + valueBeforeImport("p", "$2", "identity_number", "text") + `),
		birth_date      = coalesce(v.bd, ` + valueBeforeImport("p", "$2", "birth_date", "date") + `),
		gender          = coalesce(v.ge, ` + valueBeforeImport("p", "$2", "gender", "text") + `),
		phone           = coalesce(v.ph, ` + valueBeforeImport("p", "$2", "phone", "text") + `),
		country_id      = coalesce(v.co, ` + valueBeforeImport("p", "$2", "country_id", "smallint") + `),
		source_before   = ` + rowBeforeImport("p", "$2") + `,
		source_job = $2, source_row = v.r
		FROM ` + knownPersonRows + `
		WHERE p.id = known.id`
}

// valueBeforeImport returns the SQL expression of a column's value before an import wrote the
// row; NULL if the import created the row.
func valueBeforeImport(row, source, column, kind string) string {
	return fmt.Sprintf("CASE WHEN %[1]s.source_job = %[2]s THEN (%[1]s.source_before ->> '%[3]s')::%[4]s ELSE %[1]s.%[3]s END", row, source, column, kind)
}

// rowBeforeImport returns the SQL expression of the previous values that a row stores about itself.
func rowBeforeImport(row, source string) string {
	return fmt.Sprintf("CASE WHEN %[1]s.source_job = %[2]s THEN %[1]s.source_before ELSE to_jsonb(%[1]s) - 'source_before' END", row, source)
}
