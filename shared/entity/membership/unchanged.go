package membership

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
)

// KeyFields returns the fields that identify a person.
func (*Type) KeyFields() []string {
	return []string{person.FirstName.Name, person.LastName.Name, person.Email.Name, person.IdentityNumber.Name, person.BirthDate.Name}
}

// RowKeys calls found with the key of row i's person. A person has one membership per period, so
// the membership needs no other key.
func (*Type) RowKeys(b *entity.Batch, i int, found func(key int, value string)) (by int) {
	found(0, personKeyOf(b, i))
	return 0
}

// findUnchanged returns the rows whose person, and membership in the period, already have all
// values of the row.
func findUnchanged(ctx context.Context, tx pgx.Tx, b *entity.Batch, rows []int) (map[int]bool, error) {
	same := make(map[int]bool)
	err := compareStored(ctx, tx, b, rows, "", `
		WHERE p.first_name = v.fn AND p.last_name = v.ln AND coalesce(v.em = p.email, v.em IS NULL)
			AND coalesce(v.idn = p.identity_number, v.idn IS NULL) AND coalesce(v.bd = p.birth_date, v.bd IS NULL)
			AND coalesce(v.ge = p.gender, v.ge IS NULL) AND coalesce(v.ph = p.phone, v.ph IS NULL) AND coalesce(v.co = p.country_id, v.co IS NULL)
			AND m.type_id = v.ty AND coalesce(v.nr = m.membership_number, v.nr IS NULL) AND coalesce(v.jo = m.joined_on, v.jo IS NULL)`,
		func(i int, _ [][]byte) { same[i] = true })
	return same, err
}

// compareStored calls found with the index of each row v whose person p has a membership m in the
// period and that fulfils the condition, and with the values of the further expressions.
func compareStored(ctx context.Context, tx pgx.Tx, b *entity.Batch, rows []int, further, condition string, found func(i int, values [][]byte)) error {
	part := b.Pick(rows)
	keys := entity.NewColumn(entity.Text, len(rows))
	placeOf := make(map[int64]int, len(rows))
	for _, i := range rows {
		keys.AppendText([]byte(personKeyOf(b, i)))
		placeOf[b.Row(i)] = i
	}
	params := append(personArgs(part, &keys), entity.ArrayParam(&part.Columns[membershipType]),
		entity.ArrayParam(&part.Columns[membershipNumber]), entity.ArrayParam(&part.Columns[joinedOn]), entity.Int64Param(b.Context))
	_, err := entity.Query(ctx, tx, `
		SELECT v.r`+further+`
		FROM unnest(`+personParams+`, $13::int8[], $14::text[], $15::date[]) AS v(r, k, fn, ln, em, idn, bd, ge, ph, co, ty, nr, jo)
		CROSS JOIN LATERAL (
			SELECT * FROM persons AS p WHERE p.organisation_id = $1 AND p.identity_key = v.k LIMIT 1
		) AS p
		CROSS JOIN LATERAL (
			SELECT * FROM memberships AS m WHERE m.organisation_id = $1 AND m.period_id = $16 AND m.person_id = p.id LIMIT 1
		) AS m`+condition, params, func(v [][]byte) error {
		found(placeOf[entity.Int64(v[0])], v[1:])
		return nil
	})
	if err != nil {
		return fmt.Errorf("compare with memberships: %w", err)
	}
	return nil
}
