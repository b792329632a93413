package command

import (
	"context"
	"errors"
	"fmt"

	"charm.land/huh/v2"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// applyCommand is both loadbay apply and loadbay imports apply.
func (a *app) applyCommand() *cobra.Command {
	var digest, onStale, manifest string
	c := a.withFormatFlags(&cobra.Command{
		Use: "apply ID | -f FILE", Aliases: []string{"approve"}, Short: "Write what a plan has shown (or: approve), or what a file declares", Args: manifestOr(&manifest, cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Write what a plan has shown, and just that. On a terminal, without --digest, it is shown once
more and asked for. loadbay approve is the same.

` + manifestHelp,
		Example: `  loadbay apply 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4
  loadbay apply -f imports.yaml`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if manifest != "" {
				return a.importManifest(ctx, manifest, false)
			}
			if digest != "" {
				return a.applyPlan(ctx, caller, given[0], digest, onStale)
			}
			if !a.canPrompt() {
				return usageError{errors.New("say which changes you have seen with --digest: that of the plan, as imports show has it")}
			}
			job, err := client.Read[api.ImportJob](caller.API.GetImport(ctx, given[0], nil))
			if err != nil {
				return err
			}
			if !client.AwaitsApproval(job) {
				return fmt.Errorf("%s is no plan that waits: it is %s", given[0], jobStatusLabel(job))
			}
			return a.confirmPlan(ctx, caller, job, onStale)
		}),
	})
	c.Flags().StringVarP(&manifest, "file", "f", "", "do the imports that this file declares")
	c.Flags().StringVar(&digest, "digest", "", "of the plan that was looked at")
	c.Flags().StringVar(&onStale, "on-stale", "", "what becomes of rows whose entities have changed since: skip, abort or overwrite")
	return c
}

// applyPlan has a plan written, and watches it.
func (a *app) applyPlan(ctx context.Context, caller *client.Client, id, digest, onStale string) error {
	said := api.Application{Digest: digest, OnStale: nonZero(api.OnStale(onStale))}
	if err := client.Do(caller.API.ApplyPlan(ctx, id, said)); err != nil {
		return err
	}
	return a.watchToEnd(ctx, caller, id)
}

// confirmPlan shows a person what a plan would change, and asks whether it is to.
func (a *app) confirmPlan(ctx context.Context, caller *client.Client, j *api.ImportJob, onStale string) error {
	if err := a.printPlanSummary(ctx, caller, j); err != nil {
		return err
	}
	write := false
	ask := huh.NewConfirm().Title("Write these changes?").Description(fmt.Sprintf("%d rows would be created, %d updated.", j.CreatedCount, j.UpdatedCount)).
		Affirmative("Write them").Negative("Not now").Value(&write)
	if err := a.runPrompt(ask); err != nil {
		return err
	}
	if write {
		return a.applyPlan(ctx, caller, j.Identifier.String(), *j.Plan.Digest, onStale)
	}
	a.notify("Nothing is written. The plan waits: loadbay apply %s writes it, loadbay imports cancel %s discards it.", j.Identifier, j.Identifier)
	return exitStatus(exitPending)
}

// printPlanSummary prints what a plan would change, by table and field.
func (a *app) printPlanSummary(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	found, err := client.Read[api.ChangesSummary](caller.API.SummariseChanges(ctx, j.Identifier.String(), nil))
	if err != nil {
		return err
	}
	return summaryTable(found).Print(a.streams)
}
