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

// applyCommand returns the command for loadbay apply and loadbay imports apply.
func (a *app) applyCommand() *cobra.Command {
	var digest, onStale, manifest string
	var batch batchFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "apply ID | -f FILE", Aliases: []string{"approve"}, Short: "Apply a plan (or: approve), or the imports in a manifest", Args: manifestOr(&manifest, cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Write exactly the changes of a plan. On a terminal without --digest, the plan is shown again
and must be confirmed. loadbay approve is an alias.

` + manifestHelp,
		Example: `  loadbay apply 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4
  loadbay apply -f imports.yaml`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if manifest != "" {
				return a.importManifest(ctx, manifest, false, batch)
			}
			if digest != "" {
				return a.applyPlan(ctx, caller, given[0], digest, onStale)
			}
			if !a.canPrompt() {
				return usageError{errors.New("set --digest to the digest of the plan that you reviewed (see loadbay imports show)")}
			}
			job, err := client.Read[api.ImportJob](caller.API.GetImport(ctx, given[0], nil))
			if err != nil {
				return err
			}
			if !client.AwaitsApproval(job) {
				return fmt.Errorf("%s is not a plan that waits for approval: it is %s", given[0], jobStatusLabel(job))
			}
			return a.confirmPlan(ctx, caller, job, onStale)
		}),
	})
	c.Flags().StringVarP(&manifest, "file", "f", "", "run the imports in this manifest")
	batch.register(c.Flags())
	c.Flags().StringVar(&digest, "digest", "", "digest of the reviewed plan")
	c.Flags().StringVar(&onStale, "on-stale", "", "action for rows whose entities changed since the plan: skip, abort or overwrite")
	return c
}

// applyPlan starts applying a plan and watches it.
func (a *app) applyPlan(ctx context.Context, caller *client.Client, id, digest, onStale string) error {
	application := api.Application{Digest: digest, OnStale: nonZero(api.OnStale(onStale))}
	if err := client.Do(caller.API.ApplyPlan(ctx, id, application)); err != nil {
		return err
	}
	return a.watchToEnd(ctx, caller, id)
}

// confirmPlan shows the changes of a plan and asks whether to apply it.
func (a *app) confirmPlan(ctx context.Context, caller *client.Client, j *api.ImportJob, onStale string) error {
	if err := a.printPlanSummary(ctx, caller, j); err != nil {
		return err
	}
	write := false
	ask := huh.NewConfirm().Title("Apply these changes?").Description(fmt.Sprintf("%s would be created, %d updated.", count(j.CreatedCount, "row"), j.UpdatedCount)).
		Affirmative("Apply").Negative("Not now").Value(&write)
	if err := a.runPrompt(ask); err != nil {
		return err
	}
	if write {
		return a.applyPlan(ctx, caller, j.Identifier.String(), *j.Plan.Digest, onStale)
	}
	a.notify("Nothing was written. loadbay apply %s applies the plan; loadbay imports cancel %s discards it.", j.Identifier, j.Identifier)
	return exitStatus(exitPending)
}

// printPlanSummary prints the changes of a plan by table and field.
func (a *app) printPlanSummary(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	found, err := client.Read[api.ChangesSummary](caller.API.GetChangeSummary(ctx, j.Identifier.String(), nil))
	if err != nil {
		return err
	}
	return summaryTable(found).Print(a.streams)
}
