package command

import (
	"context"
	"errors"
	"fmt"
	"time"

	"charm.land/huh/v2"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

// watch shows the progress of an import until it has ended or needs input. After Ctrl-C it asks
// whether to cancel the import as well.
func (a *app) watch(ctx context.Context, caller *client.Client, id string) (*api.ImportJob, error) {
	bar := terminal.NewBar(a.streams)
	var state string
	job, err := caller.Wait(ctx, id, func(j *api.ImportJob) {
		if now := jobStatusLabel(j); a.verbose && now != state {
			state = now
			bar.Clear()
			a.report("%s %s: %s", time.Now().Format(time.TimeOnly), id, state)
		}
		bar.Set(phaseLabel(j), j.ProcessedRows, j.TotalRows, progressText(j))
	})
	if err == nil && client.NeedsInput(job) {
		bar.Clear()
	}
	bar.Done()
	if errors.Is(err, context.Canceled) {
		if a.several {
			return nil, err // asked once for all
		}
		return nil, a.handleInterrupt(caller, []string{id}, err)
	}
	return job, err
}

// phaseLabel describes the current phase of an import for the progress bar.
func phaseLabel(j *api.ImportJob) string {
	switch j.Phase {
	case api.ImportJobPhaseENDED:
		return "Done      "
	case api.ImportJobPhaseREHEARSING:
		return "Planning  "
	case api.ImportJobPhaseASKAPPROVAL:
		return "Planned   "
	case api.ImportJobPhaseWRITING, api.ImportJobPhaseFINISHING:
		return "Importing "
	default:
		return "Reading   "
	}
}

// progressText describes the speed and the remaining time of an import.
func progressText(j *api.ImportJob) string {
	text := fmt.Sprintf("%d of %d rows", j.ProcessedRows, j.TotalRows)
	switch {
	case j.ErrorCount == 1:
		text += ", 1 error"
	case j.ErrorCount > 1:
		text += fmt.Sprintf(", %d errors", j.ErrorCount)
	}
	if j.WaitingForDatabaseSince != nil {
		return text + ", waiting for the database since " + j.WaitingForDatabaseSince.Local().Format("15:04")
	}
	if j.RowsPerSecond != nil && !client.Ended(j) {
		text += fmt.Sprintf(", %.0f rows/s", *j.RowsPerSecond)
	}
	if j.EtaSeconds != nil {
		text += ", " + (time.Duration(*j.EtaSeconds) * time.Second).String() + " left"
	}
	return text
}

// cancelTimeout limits the cancellation of an import after Ctrl-C.
const cancelTimeout = 30 * time.Second

// handleInterrupt asks whether to cancel the imports or only stop watching.
func (a *app) handleInterrupt(caller *client.Client, ids []string, cause error) error {
	stop := false
	if a.streams.CanAsk {
		title := "Cancel the import as well?"
		if len(ids) > 1 {
			title = fmt.Sprintf("Cancel the %d imports as well?", len(ids))
		}
		ask := huh.NewConfirm().Title(title).Description("Written rows are kept.").
			Affirmative("Cancel import").Negative("Continue").Value(&stop)
		if err := a.runPrompt(ask); err != nil {
			stop = false
		}
	}
	if !stop {
		for _, id := range ids {
			a.report("The import continues. To watch it: loadbay imports watch %s", id)
		}
		return cause
	}
	ctx, done := context.WithTimeout(context.Background(), cancelTimeout)
	defer done()
	for _, id := range ids {
		if err := client.Do(caller.API.CancelImport(ctx, id, nil)); err != nil {
			return err
		}
		a.report("Cancelled %s.", id)
	}
	return cause
}

// maxShownErrors is the maximum number of rows with errors shown at the end.
const maxShownErrors = 10

// finish prints the result of an import and returns the exit status of the command.
func (a *app) finish(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	if err := a.printEnd(ctx, caller, j, jobStatusLabel(j)); err != nil {
		return err
	}
	switch {
	case j.Status == api.StatusCOMPLETED && j.ErrorCount > 0:
		return exitStatus(exitRowErrors)
	case j.Status == api.StatusCOMPLETED:
		return nil
	case client.NeedsInput(j):
		return exitStatus(exitPending)
	default:
		return exitStatus(exitFailed)
	}
}

// printEnd prints the result of an import, as JSON or for a person.
func (a *app) printEnd(ctx context.Context, caller *client.Client, j *api.ImportJob, state string) error {
	if a.format.JSON() {
		return a.printResult(j)
	}
	return a.printOutcome(ctx, caller, j, state)
}

// printOutcome prints the result of an import for a person.
func (a *app) printOutcome(ctx context.Context, caller *client.Client, j *api.ImportJob, state string) error {
	for _, w := range warningTexts(j) {
		a.notify("Note: %s", w)
	}
	if j.Failure != nil {
		a.report("%s: %s", j.Failure.Code, j.Failure.Message)
	}
	t := &render.Table{Header: []string{"ID", "STATE", "CREATED", "UPDATED", "UNCHANGED", "SKIPPED", "ERRORS"}}
	row := []any{j.Identifier, state, j.CreatedCount, j.UpdatedCount, j.UnchangedCount, j.SkippedCount, j.ErrorCount}
	if a.several {
		t.Header, row = append(t.Header, "FILE"), append(row, a.file)
	}
	t.Add(row...)
	if err := t.Print(a.streams); err != nil || j.ErrorCount == 0 || !a.streams.OutIsTerminal {
		return err
	}
	a.notify("")
	if err := a.printErrors(ctx, caller, j.Identifier.String(), maxShownErrors); err != nil {
		return err
	}
	a.notify("To save all failed rows for correction: loadbay errors %s --xlsx FILE", j.Identifier)
	return nil
}
