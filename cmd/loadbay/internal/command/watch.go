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
	job, err := caller.Wait(ctx, id, func(j *api.ImportJob) {
		bar.Set(phaseLabel(j), j.ProcessedRows, j.TotalRows, progressText(j))
	})
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return nil, a.handleInterrupt(caller, id, err)
	}
	return job, err
}

// phaseLabel describes the current phase of an import for the progress bar.
func phaseLabel(j *api.ImportJob) string {
	switch {
	case client.Ended(j):
		return "Done      "
	case j.Status == api.StatusPROCESSING && j.TotalRows > 0:
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

// handleInterrupt asks whether to cancel the import or only stop watching.
func (a *app) handleInterrupt(caller *client.Client, id string, cause error) error {
	stop := false
	if a.streams.CanAsk {
		ask := huh.NewConfirm().Title("Cancel the import as well?").Description("Written rows are kept.").
			Affirmative("Cancel import").Negative("Continue").Value(&stop)
		if err := a.runPrompt(ask); err != nil {
			stop = false
		}
	}
	if !stop {
		a.notify("The import continues. To watch it: loadbay imports watch %s", id)
		return cause
	}
	ctx, done := context.WithTimeout(context.Background(), cancelTimeout)
	defer done()
	if err := client.Do(caller.API.DeleteImport(ctx, id, nil)); err != nil {
		return err
	}
	a.notify("Cancelled %s.", id)
	return cause
}

// maxShownErrors is the maximum number of rows with errors shown at the end.
const maxShownErrors = 10

// finish prints the result of an import and returns the exit status of the command.
func (a *app) finish(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	if a.format.JSON() {
		if err := a.format.Write(a.streams.Out, j); err != nil {
			return err
		}
	} else if err := a.printOutcome(ctx, caller, j); err != nil {
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

// printOutcome prints the result of an import for a person.
func (a *app) printOutcome(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	for _, w := range j.Warnings {
		a.notify("Note: %s", w)
	}
	if j.Failure != nil {
		a.notify("%s: %s", j.Failure.Code, j.Failure.Message)
	}
	t := &render.Table{Header: []string{"ID", "STATE", "CREATED", "UPDATED", "UNCHANGED", "SKIPPED", "ERRORS"}}
	t.Add(j.Identifier, jobStatusLabel(j), j.CreatedCount, j.UpdatedCount, j.UnchangedCount, j.SkippedCount, j.ErrorCount)
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
