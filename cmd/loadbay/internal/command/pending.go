package command

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// pendingQuestions are the open questions of an import, for programs.
type pendingQuestions struct {
	File       string              `json:"file,omitempty"`
	Identifier string              `json:"identifier"`
	WaitingFor string              `json:"waitingFor"`
	Columns    []api.ColumnMapping `json:"columns,omitempty"`
	Values     []api.CellMapping   `json:"values,omitempty"`
	PlanDigest string              `json:"planDigest,omitempty"`
}

// printQuestions prints the open questions of an import and returns the status for pending.
func (a *app) printQuestions(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	id := j.Identifier.String()
	out := pendingQuestions{File: a.file, Identifier: id, WaitingFor: string(*j.WaitingFor)}
	var err error
	answer := "answer its questions on a terminal (loadbay imports watch " + id + "), or run with --yes"
	switch *j.WaitingFor {
	case api.ImportJobWaitingForAPPROVAL:
		if a.streams.OutIsTerminal && !a.format.JSON() {
			return a.printPlan(ctx, caller, j)
		}
		out.PlanDigest = *j.Plan.Digest
		answer = "loadbay apply " + id + " --digest " + out.PlanDigest + " applies the planned changes"
	case api.ImportJobWaitingForCOLUMNMAPPINGS:
		out.Columns, _, err = collectEntries(client.Pages[api.ColumnMapping](ctx, caller)(caller.API.ListColumns(ctx, id, nil)), maxAsked)
	default:
		out.Values, err = unresolvedCells(ctx, caller, id, maxAsked)
	}
	if err != nil {
		return err
	}
	a.notify("The import waits for input: %s.", answer)
	if a.format.JSON() && a.several {
		if err := a.printResult(out); err != nil {
			return err
		}
		return exitStatus(exitPending)
	}
	text, err := json.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.streams.Out, string(text)); err != nil {
		return err
	}
	return exitStatus(exitPending)
}

// printPlan prints the changes of a plan and returns the status for pending.
func (a *app) printPlan(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	if err := a.printPlanSummary(ctx, caller, j); err != nil {
		return err
	}
	a.notify("To show all changes: loadbay diff %s\nTo apply them:\nloadbay apply %s --digest %s", j.Identifier, j.Identifier, *j.Plan.Digest)
	return exitStatus(exitPending)
}
