package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

func (a *app) planCommand() *cobra.Command {
	f := importFlags{plan: true, compares: true}
	c := a.formatted(&cobra.Command{
		Use: "plan FILE...", Short: "Find out what files would change",
		Long: `Find out what files would change, and write nothing: import --plan.

Ends with exit code 5 if something would change, and with 0 if not. What is printed has the
plan's id and digest: loadbay apply ID --digest DIGEST writes just these changes, and loadbay
imports cancel ID discards them.`,
		Example: `  loadbay plan members.xlsx --type MEMBERSHIP --context-id 12 --mode upsert --yes`,
		Args:    args(cobra.MinimumNArgs(1)),
		RunE:    func(c *cobra.Command, given []string) error { return a.importFiles(c.Context(), &f, given) },
	})
	f.register(c)
	return c
}

// compared is how a plan ends that waits: for approval, or before that for a person to
// decide about columns and values.
func compared(ctx context.Context, caller *client.Client, id string) error {
	job, err := client.Read[api.ImportJob](caller.API.GetImport(ctx, id, nil))
	switch {
	case err != nil:
		return err
	case !client.AwaitsApproval(job):
		return exit(exitWaits)
	case job.CreatedCount+job.UpdatedCount > 0:
		return exit(exitDiffers)
	}
	return nil
}
