package problem_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/problem"
)

func TestWarningSentences(t *testing.T) {
	t.Parallel()
	for warning, want := range map[string]string{
		"NO_ROWS":                "The file has a header, but no rows.",
		"COLUMN_UNKNOWN: Mail":   "The options name a column that the file does not have: Mail.",
		"SOMETHING_NEW":          "Something new.",
		"MAPPING_UNFIT: é is no": "É is no.",
		`PROFILE_DECIDED: column "Mail" is EMAIL (version 3 of profile "Club")`:                      `Column "Mail" is EMAIL (version 3 of profile "Club").`,
		"SOURCE_REFUSED: SHEET_NOT_FOUND There is no such sheet.":                                    "The file cannot be read with these options; the previous options were used: There is no such sheet.",
		"FOOTER_LIKELY: from row 10 on, rows look like totals or notes; skipFooterRows 2 skips them": "The last rows may not be data: from row 10 on, rows look like totals or notes; skip the last 2 rows.",
	} {
		require.Equal(t, []string{want}, problem.WarningSentences([]string{warning}))
	}
	require.Equal(t, []string{}, problem.WarningSentences(nil))
}
