package notify

import (
	"fmt"
	"strings"

	"github.com/loadbay/loadbay/shared/job"
)

// emailContent is what a person is told of an event: what the import is called, and its counts.
// Nothing in it is from the file.
func emailContent(j *job.Job, e *job.Event) (subject, text string) {
	name := j.Filename
	if j.Label != "" {
		name = j.Label + ": " + name
	}
	what, next := eventText(e)
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\r\n\r\n%s\r\n\r\n", name, j.ImportType, what)
	if e.DryRun {
		b.WriteString("This is a dry run: nothing has been written.\r\n\r\n")
	}
	for _, c := range []struct {
		name string
		rows int64
	}{
		{"rows", e.Counts.Total}, {"created", e.Counts.Created}, {"updated", e.Counts.Updated}, {"unchanged", e.Counts.Unchanged}, {"skipped", e.Counts.Skipped},
		{"in error", e.Counts.Errors}, {"that wait", e.Counts.Deferred}, {"not imported", e.Counts.Unprocessed},
	} {
		if c.rows > 0 {
			fmt.Fprintf(&b, "%14s  %d\r\n", c.name, c.rows)
		}
	}
	if next != "" {
		fmt.Fprintf(&b, "\r\n%s\r\n", next)
	}
	fmt.Fprintf(&b, "\r\nImport %s, made %s UTC", j.ID, j.CreatedAt.UTC().Format("2 January 2006 15:04"))
	if j.Uploader != "" {
		fmt.Fprintf(&b, " by %s", j.Uploader)
	}
	b.WriteString(".\r\nWhoever made it named your address to be told. Nobody reads replies to this message.\r\n")
	return fmt.Sprintf("%s: %s", strings.TrimSuffix(what, "."), name), b.String()
}

// eventText is what has happened, and what comes next.
func eventText(e *job.Event) (what, next string) {
	switch e.Status {
	case job.ColumnMapping:
		return "An import waits for you", "It asks what some of the file's columns are."
	case job.CellMapping:
		return "An import waits for you", "It asks what some of the file's values stand for."
	case job.AwaitingApproval:
		return "An import waits for approval", "Nothing is written yet. What it would change is in its changes."
	case job.Completed:
		if e.Counts.Errors > 0 {
			return "An import is complete, with errors", "What is wrong with which row is in the results of the import and in its error workbook."
		}
		return "An import is complete", ""
	case job.Cancelled:
		return "An import was cancelled", "What it had written stays."
	}
	return "An import has failed", "The reason: " + e.FailureCode + ". What it had written stays."
}
