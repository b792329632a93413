package membership

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// comparisons compare the membership m and its person p with the row v. An empty cell is no
// difference.
var comparisons = []entity.FieldComparison{
	compare(firstName, "p.first_name", "v.fn"), compare(lastName, "p.last_name", "v.ln"), compare(email, "p.email", "v.em"),
	compare(identityNumber, "p.identity_number", "v.idn"), compare(birthDate, "p.birth_date", "v.bd"), compare(gender, "p.gender", "v.ge"),
	compare(phone, "p.phone", "v.ph"), compare(country, "p.country_id", "v.co"), compare(membershipType, "m.type_id", "v.ty"),
	compare(membershipNumber, "m.membership_number", "v.nr"), compare(joinedOn, "m.joined_on", "v.jo"),
}

func compare(field int, stored, row string) entity.FieldComparison {
	return entity.FieldComparison{Field: field, Stored: stored, Row: fmt.Sprintf("coalesce(%s, %s)", row, stored)}
}

// nameDifferences names in the reasons of skipped rows the fields whose values were not saved.
func nameDifferences(ctx context.Context, tx pgx.Tx, b *entity.Batch) error {
	var skipped []int
	for i := range b.Results {
		if b.Results[i].Outcome == rowwrite.Skipped {
			skipped = append(skipped, i)
		}
	}
	if len(skipped) == 0 {
		return nil
	}
	differs, err := findDifferences(ctx, tx, b, skipped)
	if err != nil {
		return err
	}
	for i, titles := range differs {
		b.Results[i].Errors = []rowwrite.Error{entity.NameDifferences(b.Results[i].Errors[0], titles)}
	}
	return nil
}

// findDifferences returns, by index, the titles of the fields in which rows differ from the stored
// memberships of their people.
func findDifferences(ctx context.Context, tx pgx.Tx, b *entity.Batch, rows []int) (map[int][]string, error) {
	differs := make(map[int][]string)
	err := compareStored(ctx, tx, b, rows, ", "+entity.DifferingFields(comparisons), "", func(i int, v [][]byte) {
		differs[i] = declaration.FieldTitles(v[0])
	})
	return differs, err
}
