package apply_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/entity/catalog"
	"github.com/loadbay/loadbay/shared/mapping/apply"
	"github.com/loadbay/loadbay/shared/problem"
)

// A constant that would be invalid in every row is rejected beforehand.
func TestInvalidConstantsAreRejected(t *testing.T) {
	t.Parallel()
	member, _ := catalog.New().ByName("MEMBERSHIP")
	for constant, why := range map[string]string{
		`"JOINED_ON","constant":"yesterday"`:                    "Joined on: This is not a date. Write it as year, month and day: 2026-01-31.",
		`"JOINED_ON","constant":"03/04/2026"`:                   "Joined on: 03/04/2026 may be 3 April 2026 or 4 March 2026. Write it as year, month and day, 2026-01-31, or set the date order.",
		`"JOINED_ON","constant":"03/04/2026","dateOrder":"dmy"`: "",
		`"GENDER","constant":"Vrouw"`:                           "Gender: This value is not allowed in this column. Enter one of FEMALE, MALE, OTHER.",
		`"GENDER","constant":"female"`:                          "",
		`"ID_COUNTRY","constant":"Atlantis"`:                    "",
		`"LAST_NAME","constant":" "`:                            "Last name: A value is required. Enter a text of up to 100 characters.",
	} {
		_, err := apply.Parse([]byte(`{"fields":[{"field":`+constant+`}]}`), member.Declaration())
		if why == "" {
			require.NoError(t, err, constant)
			continue
		}
		require.Equal(t, problem.MappingInvalid, problem.CodeOf(err), constant)
		require.Equal(t, "fields[0].constant", problem.From(err).Fields[0].Field)
		require.Equal(t, why, problem.From(err).Fields[0].Message)
	}
}
