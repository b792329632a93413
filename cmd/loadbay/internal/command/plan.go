package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

func (a *app) planCommand() *cobra.Command {
	f := importFlags{exitOnChanges: true}
	var manifest string
	c := a.withFormatFlags(&cobra.Command{
		Use: "plan FILE...", Short: "Show the changes that files would make",
		Long: `Show the changes that files would make without writing them, like import --plan.

The exit code is 5 if there are changes. A plan without changes is discarded, and the exit code is
0, or 4 if rows have errors. The output contains the ID and digest of the plan: loadbay apply ID
--digest DIGEST writes exactly these changes, and loadbay imports cancel ID discards them.

` + manifestHelp,
		Example: `  loadbay plan members.xlsx --type MEMBERSHIP --context-id 12 --mode upsert --yes
  loadbay plan -f imports.yaml`,
		Args: manifestOr(&manifest, cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if manifest != "" {
				return a.importManifest(c.Context(), manifest, true, f.batch)
			}
			return a.importFiles(c.Context(), &f, given)
		},
	})
	c.Flags().StringVarP(&manifest, "file", "f", "", "plan the imports in this manifest")
	f.register(c, "plan", "dryRun")
	f.importOptions.set("plan", true)
	return c
}

// watchPlan watches a plan until it waits for approval, and returns its exit status.
func (a *app) watchPlan(ctx context.Context, caller *client.Client, id string) error {
	job, err := a.watchUntilPlanned(ctx, caller, id)
	if err != nil {
		return err
	}
	if !client.NeedsInput(job) {
		return a.finish(ctx, caller, job)
	}
	if client.AwaitsApproval(job) && !plansChanges(job) {
		return a.discardPlan(ctx, caller, job)
	}
	err = a.printQuestions(ctx, caller, job)
	if errors.Is(err, exitStatus(exitPending)) && client.AwaitsApproval(job) {
		return exitStatus(exitChanges)
	}
	return err
}

// plansChanges reports whether applying a plan would change anything.
func plansChanges(j *api.ImportJob) bool { return j.CreatedCount+j.UpdatedCount > 0 }

// discardPlan discards a plan without changes, which would wait for an approval for ever.
func (a *app) discardPlan(ctx context.Context, caller *client.Client, j *api.ImportJob) error {
	if err := client.Do(caller.API.CancelImport(ctx, j.Identifier.String(), nil)); err != nil {
		return err
	}
	if j.ErrorCount > 0 {
		a.notify("Nothing would change: %d of %d rows have errors. The plan was discarded.", j.ErrorCount, j.TotalRows)
	} else {
		a.notify("Nothing would change. The plan was discarded.")
	}
	if err := a.printEnd(ctx, caller, j, "no changes"); err != nil {
		return err
	}
	if j.ErrorCount > 0 {
		return exitStatus(exitRowErrors)
	}
	return nil
}
