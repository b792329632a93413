package rows_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/job/rowwrite"
	"github.com/loadbay/loadbay/shared/rows"
	"github.com/loadbay/loadbay/shared/sheet"
)

// A birth date is invalid if it is after the day of the import in every time zone.
func TestBirthDateIsNotInFuture(t *testing.T) {
	t.Parallel()
	membership, _ := catalog.New().ByName("MEMBERSHIP")
	plan, err := rows.NewPlan(membership.Declaration(), []job.MappedColumn{{ColumnIndex: 0, TargetField: "BIRTH_DATE"}})
	require.NoError(t, err)
	made := time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	decoder := rows.NewDecoder(plan, &job.Job{OrganisationID: 1, CreatedAt: made}, &sheet.Dialect{}, 10)
	for day, future := range map[string]bool{"1991-04-30": false, "2026-11-22": false, "2026-11-23": true, "2091-04-30": true} {
		var found []rowwrite.Error
		for _, e := range decoder.Add(&sheet.Row{Number: 2, Cells: []sheet.Cell{{Kind: sheet.Text, Bytes: []byte(day)}}}) {
			if e.Field == "BIRTH_DATE" {
				found = append(found, e)
			}
		}
		if !future {
			require.Empty(t, found, day)
			continue
		}
		require.Equal(t, []rowwrite.Error{{Code: "CELL_RANGE", Field: "BIRTH_DATE", Value: day, Message: "Date of birth: The date is in the future."}}, found)
	}
}
