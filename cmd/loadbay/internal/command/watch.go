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

// watch follows an import on the terminal until it has ended or asks. After Ctrl-C it asks
// whether the import is to stop, too.
func (a *app) watch(ctx context.Context, caller *client.Client, id string) (*api.ImportJob, error) {
	bar := terminal.NewBar(a.streams)
	job, err := caller.Wait(ctx, id, func(j *api.ImportJob) {
		bar.Set(phase(j), j.ProcessedRows, j.TotalRows, pace(j))
	})
	bar.Done()
	if errors.Is(err, context.Canceled) {
		return nil, a.interrupted(caller, id, err)
	}
	return job, err
}

// phase is what an import is doing, for the bar.
func phase(j *api.ImportJob) string {
	switch {
	case client.Ended(j):
		return "Done      "
	case j.Status == api.StatusPROCESSING && j.TotalRows > 0:
		return "Importing "
	default:
		return "Reading   "
	}
}

// pace is how fast an import is and when it will be done.
func pace(j *api.ImportJob) string {
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

// cancelTimeout bounds cancelling an import after Ctrl-C.
const cancelTimeout = 30 * time.Second

// interrupted asks whether an import is to stop or only the watching.
func (a *app) interrupted(caller *client.Client, id string, cause error) error {
	stop := false
	if a.streams.CanAsk {
		ask := huh.NewConfirm().Title("Cancel the import, too?").Description("Rows that are written stay.").
			Affirmative("Cancel it").Negative("Let it go on").Value(&stop)
		if err := a.ask(ask); err != nil {
			stop = false
		}
	}
	if !stop {
		a.say("The import goes on. Follow it with: loadbay imports watch %s", id)
		return cause
	}
	ctx, done := context.WithTimeout(context.Background(), cancelTimeout)
	defer done()
	if err := client.Do(caller.API.DeleteImport(ctx, id, nil)); err != nil {
		return err
	}
	a.say("Cancelled %s.", id)
	return cause
}

// shownErrors is how many rows with errors are shown at the end.
const shownErrors = 10

// conclude prints what came of an import and returns how the command ends.
func (a *app) conclude(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	if a.format.JSON() {
		if err := a.format.Write(a.streams.Out, j); err != nil {
			return err
		}
	} else if err := a.outcome(ctx, caller, j); err != nil {
		return err
	}
	switch {
	case j.Status == api.StatusCOMPLETED && j.ErrorCount > 0:
		return exit(exitErrors)
	case j.Status == api.StatusCOMPLETED:
		return nil
	case client.Asks(j):
		return exit(exitWaits)
	default:
		return exit(exitFailed)
	}
}

// outcome tells a person what came of an import.
func (a *app) outcome(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	for _, w := range j.Warnings {
		a.say("Note: %s", w)
	}
	if j.Failure != nil {
		a.say("%s: %s", j.Failure.Code, j.Failure.Message)
	}
	t := &render.Table{Header: []string{"ID", "STATE", "CREATED", "UPDATED", "UNCHANGED", "SKIPPED", "ERRORS"}}
	t.Add(j.Identifier, stateOf(j), j.CreatedCount, j.UpdatedCount, j.UnchangedCount, j.SkippedCount, j.ErrorCount)
	if err := t.Print(a.streams); err != nil || j.ErrorCount == 0 || !a.streams.OutIsTerminal {
		return err
	}
	a.say("")
	if err := a.printErrors(ctx, caller, j.Identifier.String(), shownErrors); err != nil {
		return err
	}
	a.say("All of them, to be corrected: loadbay errors %s --xlsx FILE", j.Identifier)
	return nil
}
