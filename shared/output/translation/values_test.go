package translation_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/loadbay/loadbay/shared/job"
	"github.com/loadbay/loadbay/shared/output/translation"
	"github.com/loadbay/loadbay/shared/problem"
)

// Values that are themselves texts are translated within their messages.
func TestMessagesAreTranslatedWithTheirTexts(t *testing.T) {
	t.Parallel()
	var kind struct{ Rows []int }
	messages := []string{
		"The workbook is damaged: its parts overlap. Open it in a spreadsheet program, save it again and upload that file.",
		"The workbook is damaged: sheet1.xml has an attribute without quotes. Open it in a spreadsheet program, save it again and upload that file.",
		"This is a PDF file, not a spreadsheet. Upload CSV, NDJSON, XLSX or XLS.",
		"The workbook has no sheet at index 3 (the first is 0). It has 2 sheets.",
		"The file is a workbook of Excel 4, from before 1993. Save it as .xlsx.",
		"Quota exceeded: your organisation has 20 unfinished imports and the limit is 20. Wait until some are finished, or cancel some.",
		"Another membership type with this name already exists.",
		"Somebody has changed the columns since you loaded them. Your changes were not saved; reload and try again.",
		"You have, in another window, changed the columns since you loaded them. Your changes were not saved; reload and try again.",
		"A column with 12 values that no field receives.",
		`The columns "A", "B" match First name equally well. Rename or remove all but one of them, or choose one in the mapping.`,
		`The column "A" and another column match First name equally well. Match one of them, or ignore all of them.`,
		"The column mixes date orders: 3 day first, 5 month first, 2 ambiguous. Set its date order.",
		"Step 2 (number): The pattern does not match.",
		"Table app.members has changed since the type was applied: Column \"nick\" was removed. Restore the table, or apply the declaration again, and start again.",
		"The declaration has 3 errors. Correct it and try again.",
		"Single rows of this import cannot be retried: the points and places of a category depend on all of its rows. Correct the file and import it again.",
		"There are 200000 changes, and a file can have at most 100000. Download them as NDJSON.",
	}
	for _, document := range []string{`{"Rows":"a"}`, `{"Rows":[1.5]}`, `[]`, `{"Rows":[1]`, `{"Rows":}`} {
		messages = append(messages, "The request body is not valid: "+problem.DescribeJSON(json.Unmarshal([]byte(document), &kind))+".")
	}
	messages = append(messages, "The request body is not valid: "+problem.DescribeJSON(errors.New(`json: unknown field "row"`))+".")
	for _, s := range job.Statuses() {
		messages = append(messages, "This import "+s.Clause()+". Its results are not available yet.")
	}
	for _, s := range []job.ExportStatus{job.ExportPending, job.ExportProcessing, job.ExportCompleted, job.ExportFailed, job.ExportCancelled} {
		messages = append(messages, "This export can no longer be cancelled: it "+s.Clause()+".")
	}
	for _, l := range translation.Languages() {
		for _, english := range messages {
			text, ok := l.Lookup(english)
			require.True(t, ok, "%s: %s: %s", l, english, text)
			require.Equal(t, l == translation.English, text == english, "%s: %s", l, english)
		}
	}
	require.Equal(t, "Dieser Import wartet auf Freigabe (AWAITING_APPROVAL). Seine Ergebnisse sind noch nicht verfügbar.",
		translation.Language("de").Text("This import "+job.AwaitingApproval.Clause()+". Its results are not available yet."))
	require.Equal(t, "Étape 2 (number)\u202f: Le modèle ne correspond pas.", translation.Language("fr").Text("Step 2 (number): The pattern does not match."))
}
