package notify

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// emailContent returns the email about an event: the name of the import and its counts. It
// contains nothing from the file.
func emailContent(j *job.Job, e *job.Event) (subject, text string) {
	name := j.Filename
	if j.Label != "" {
		name = j.Label + ": " + name
	}
	what, next := eventText(e)
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\r\n\r\n%s\r\n\r\n", name, j.ImportType, what)
	if e.DryRun {
		b.WriteString("This is a dry run. No data was changed.\r\n\r\n")
	}
	for _, c := range []struct {
		name string
		rows int64
	}{
		{"rows", e.Counts.Total}, {"created", e.Counts.Created}, {"updated", e.Counts.Updated}, {"unchanged", e.Counts.Unchanged}, {"skipped", e.Counts.Skipped},
		{"with errors", e.Counts.Errors}, {"deferred", e.Counts.Deferred}, {"not imported", e.Counts.Unprocessed},
	} {
		if c.rows > 0 {
			fmt.Fprintf(&b, "%14s  %d\r\n", c.name, c.rows)
		}
	}
	if next != "" {
		fmt.Fprintf(&b, "\r\n%s\r\n", next)
	}
	fmt.Fprintf(&b, "\r\nImport %s, created %s UTC", j.ID, j.CreatedAt.UTC().Format("2 January 2006 15:04"))
	if j.Uploader != "" {
		fmt.Fprintf(&b, " by %s", j.Uploader)
	}
	b.WriteString(".\r\nYou receive this message because your address was added to the import. Please do not reply.\r\n")
	return fmt.Sprintf("%s: %s", strings.TrimSuffix(what, "."), name), b.String()
}

// eventText returns descriptions of the event and of the next step.
func eventText(e *job.Event) (what, next string) {
	switch e.Status {
	case job.ColumnMapping:
		return "An import needs your input", "Some columns of the file need to be matched."
	case job.CellMapping:
		return "An import needs your input", "Some values of the file need to be matched."
	case job.AwaitingApproval:
		return "An import waits for approval", "No data was changed yet. Review the planned changes of the import."
	case job.Completed:
		if e.Counts.Errors > 0 {
			return "An import was completed with errors", "See the results of the import or its error workbook for the errors of each row."
		}
		return "An import was completed", ""
	case job.Cancelled:
		return "An import was cancelled", "Data that was already written is kept."
	}
	return "An import has failed", "The reason: " + e.FailureCode + ". Data that was already written is kept."
}
