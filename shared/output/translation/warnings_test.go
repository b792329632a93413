package translation_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
)

// Stored warnings become sentences in every language, without the names of options.
func TestWarningsAreTranslated(t *testing.T) {
	t.Parallel()
	stored := []string{
		"FORMAT_MISMATCH", "NO_ROWS", "HEADER_CHANGED", "ENCODING_ASSUMED", "NUMBER_FORMAT_UNKNOWN",
		"FOOTER_LIKELY: from row 10 on, rows look like totals or notes; skipFooterRows 2 skips them",
		`SHEET_UNUSED: the sheet "Nov" with 1 row is not read, only "Oct"; to import it, select it (sheetName)`,
		`COLUMN_UNUSED: column "Fax" with 3 values is not used`,
		`DATE_ORDER_UNCERTAIN: column "Joined on": ambiguous cells: 2; set dateOrder`,
		`DECIMAL_MARK_UNCERTAIN: column "Weight": ambiguous cells: 2; set decimalMark`,
		`COLUMN_CONTENT: column "Mail" is used for Email, but hardly any of its values is valid for it`,
		"PLACEHOLDER_IGNORED: Email: placeholders such as N/A or - are read as empty cells",
		"ROWS_WIDER: every row ends with 2 empty cells more than the header",
	}
	for _, l := range translation.Languages() {
		for _, english := range problem.WarningSentences(stored) {
			text, ok := l.Lookup(english)
			require.True(t, ok, "%s: %s", l, english)
			require.NotRegexp(t, "skipFooterRows|sheetName|dateOrder|decimalMark", text)
			require.Equal(t, l == translation.English, text == english, english)
		}
	}
	require.Equal(t, "Die Spalte „Fax“ mit 3 Werten wird nicht verwendet.",
		translation.Language("de").Text(problem.WarningSentences(stored[7:8])[0]))
}
