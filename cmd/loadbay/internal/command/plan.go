package command

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
)

func (a *app) planCommand() *cobra.Command {
	f := importFlags{plan: true, compares: true}
	var manifest string
	c := a.formatted(&cobra.Command{
		Use: "plan FILE...", Short: "Find out what files would change",
		Long: `Find out what files would change, and write nothing: import --plan.

Ends with exit code 5 if something would change, and with 0 if not. What is printed has the
plan's id and digest: loadbay apply ID --digest DIGEST writes just these changes, and loadbay
imports cancel ID discards them.

` + manifestHelp,
		Example: `  loadbay plan members.xlsx --type MEMBERSHIP --context-id 12 --mode upsert --yes
  loadbay plan -f imports.yaml`,
		Args: declaredOr(&manifest, cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, given []string) error {
			if manifest != "" {
				return a.importDeclared(c.Context(), manifest, true)
			}
			return a.importFiles(c.Context(), &f, given)
		},
	})
	c.Flags().StringVarP(&manifest, "file", "f", "", "plan the imports that this file declares")
	f.register(c)
	return c
}

// compare watches a plan until it waits, and ends as what it comes to.
func (a *app) compare(ctx context.Context, caller *client.Client, id string) error {
	job, err := a.reach(ctx, caller, id)
	if err != nil {
		return err
	}
	if !client.Asks(job) {
		return a.conclude(ctx, caller, job)
	}
	err = a.leaveOpen(ctx, caller, job)
	switch {
	case !errors.Is(err, exit(exitWaits)) || !client.AwaitsApproval(job):
		return err
	case job.CreatedCount+job.UpdatedCount > 0:
		return exit(exitDiffers)
	}
	return nil
}
