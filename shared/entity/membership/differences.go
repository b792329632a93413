package membership

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/loadbay/loadbay/shared/entity"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
)

// stored lists the stored value of each field and the alias of the row's value, as in
// findDifferences.
var stored = [...]struct {
	field       int
	column, row string
}{
	{firstName, "p.first_name", "v.fn"}, {lastName, "p.last_name", "v.ln"}, {email, "p.email", "v.em"}, {identityNumber, "p.identity_number", "v.idn"},
	{birthDate, "p.birth_date", "v.bd"}, {gender, "p.gender", "v.ge"}, {phone, "p.phone", "v.ph"}, {country, "p.country_id", "v.co"},
	{membershipType, "m.type_id", "v.ty"}, {membershipNumber, "m.membership_number", "v.nr"}, {joinedOn, "m.joined_on", "v.jo"},
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
		reason := b.Results[i].Errors[0]
		reason.Message = fmt.Sprintf("%s, with another value of: %s. The values of this row were not saved.", strings.TrimSuffix(reason.Message, "."), strings.Join(titles, ", "))
		b.Results[i].Errors = []rowwrite.Error{reason}
	}
	return nil
}

// findDifferences returns, by index, the titles of the fields in which rows differ from the stored
// memberships of their people. An empty cell is no difference.
func findDifferences(ctx context.Context, tx pgx.Tx, b *entity.Batch, rows []int) (map[int][]string, error) {
	cases := make([]string, len(stored))
	for i, f := range stored {
		cases[i] = fmt.Sprintf("CASE WHEN %[1]s IS DISTINCT FROM coalesce(%[2]s, %[1]s) THEN %[3]d END", f.column, f.row, f.field)
	}
	differs := make(map[int][]string)
	err := compareStored(ctx, tx, b, rows, ", concat_ws(' ', "+strings.Join(cases, ", ")+")", "", func(i int, v [][]byte) {
		for _, text := range strings.Fields(string(v[0])) {
			if field, err := strconv.Atoi(text); err == nil {
				differs[i] = append(differs[i], declaration.Fields[field].Title)
			}
		}
	})
	return differs, err
}
