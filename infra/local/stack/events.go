package stack

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-lambda-go/events"
)

// importEvent is the part of an event about an import (docs/events.md) that is shown.
type importEvent struct {
	JobID          string `json:"jobId"`
	OrganisationID int64  `json:"organisationId"`
	ImportType     string `json:"importType"`
	Status         string `json:"status"`
	DryRun         bool   `json:"dryRun"`
	FailureCode    string `json:"failureCode"`
	UndoOf         string `json:"undoOf"`
	Counts         struct{ Created, Updated, Unchanged, Skipped, Errors int64 }
}

// showPublished shows an event of the event bus in one line.
func (s *Stack) showPublished(published []byte) {
	var event events.EventBridgeEvent
	var e importEvent
	if json.Unmarshal(published, &event) != nil || json.Unmarshal(event.Detail, &e) != nil || e.JobID == "" {
		return // of another program
	}
	s.logs.showEvent(e.String())
}

// String returns one line for a person.
func (e importEvent) String() string {
	what := "import"
	switch {
	case e.UndoOf != "":
		what = "undo"
	case e.DryRun:
		what = "dry run"
	}
	return fmt.Sprintf("%s %s (%s, organisation %d) %s", what, e.JobID, e.ImportType, e.OrganisationID, e.outcome())
}

// outcome describes the status.
func (e importEvent) outcome() string {
	switch e.Status {
	case "COLUMN_MAPPING":
		return "waits for answers about its columns"
	case "CELL_MAPPING":
		return "waits for answers about its values"
	case "AWAITING_APPROVAL":
		return "waits for the approval of its plan"
	case "COMPLETED":
		return "completed: " + e.figures()
	}
	outcome := strings.ToLower(e.Status)
	if e.FailureCode != "" {
		outcome += ": " + e.FailureCode
	}
	return outcome
}

// figures returns the counts that are not 0.
func (e importEvent) figures() string {
	var figures []string
	for _, one := range []struct {
		count int64
		name  string
	}{
		{e.Counts.Created, "created"}, {e.Counts.Updated, "updated"}, {e.Counts.Unchanged, "unchanged"}, {e.Counts.Skipped, "skipped"},
		{e.Counts.Errors, "with errors"},
	} {
		if one.count != 0 {
			figures = append(figures, fmt.Sprintf("%d %s", one.count, one.name))
		}
	}
	if len(figures) == 0 {
		return "no rows"
	}
	return strings.Join(figures, ", ")
}
