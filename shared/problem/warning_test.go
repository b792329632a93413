package problem_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestWarningSentences(t *testing.T) {
	t.Parallel()
	for warning, want := range map[string]string{
		"NO_ROWS":                "The file has a header, and no row below it.",
		"COLUMN_UNKNOWN: Mail":   "The options say something of a column that the file does not have: Mail.",
		"SOMETHING_NEW":          "Something new.",
		"MAPPING_UNFIT: é is no": "É is no.",
		`PROFILE_DECIDED: column "Mail" is EMAIL, by version 3 of the profile "Club"`:                    `Column "Mail" is EMAIL, by version 3 of the profile "Club".`,
		"SOURCE_REFUSED: SHEET_NOT_FOUND There is no such sheet.":                                        "The file cannot be read as was said, and is read as before: There is no such sheet.",
		"FOOTER_LIKELY: from row 10 on they look like totals or notes; skipFooterRows 2 leaves them out": "The last rows may be no data: from row 10 on they look like totals or notes; skipFooterRows 2 leaves them out.",
	} {
		require.Equal(t, []string{want}, problem.WarningSentences([]string{warning}))
	}
	require.Equal(t, []string{}, problem.WarningSentences(nil))
}
