package rows_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// A number with a display format appears formatted in text fields and messages, and is a number
// for all other fields.
func TestFormattedNumbers(t *testing.T) {
	t.Parallel()
	membership, _ := catalog.New().ByName("MEMBERSHIP")
	plan, err := rows.NewPlan(membership.Declaration(), []job.MappedColumn{{ColumnIndex: 0, TargetField: "ID_NUMBER"}, {ColumnIndex: 1, TargetField: "BIRTH_DATE"}, {ColumnIndex: 2, TargetField: "LAST_NAME"}})
	require.NoError(t, err)
	shown := func(number, text string) sheet.Cell {
		return sheet.Cell{Kind: sheet.Formatted, Bytes: sheet.AppendDisplayText([]byte(number), []byte(text))}
	}
	add := func(id, born sheet.Cell) (found []rowwrite.Error) {
		decoder := rows.NewDecoder(plan, &job.Job{OrganisationID: 1}, &sheet.Dialect{Format: sheet.XLSX}, 10)
		for _, e := range decoder.Add(&sheet.Row{Number: 2, Cells: []sheet.Cell{id, born}}) {
			if e.Field == "ID_NUMBER" || e.Field == "BIRTH_DATE" {
				found = append(found, e)
			}
		}
		return found
	}
	require.Empty(t, add(shown("123456789", "123-45-6789"), shown("33358", "033-358")))
	require.Empty(t, add(shown("0", "000-00-0000"), sheet.Cell{}), "a number of zeros is accepted")
	found := add(shown("1.23456789012346E+17", "123456-789012-346000"), shown("-5", "-00-05"))
	require.Len(t, found, 2)
	require.Equal(t, []string{"123456-789012-346000", "-00-05"}, []string{found[0].Value, found[1].Value})
	require.Equal(t, []string{"CELL_PRECISION", "CELL_DATE"}, []string{string(found[0].Code), string(found[1].Code)})
}
