package command

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

func (a *app) retryCommand() *cobra.Command {
	var all, noWait bool
	c := a.withFormatFlags(&cobra.Command{
		Use: "retry ID", Short: "Import rows in error again", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Import the rows of an import again that were corrected, or with --all-errors all that are still
in error, as when something that was missing has been added.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			which := api.RetryImportJSONBodyRowsCorrected
			if all {
				which = api.RetryImportJSONBodyRowsAllErrors
			}
			params := &api.RetryImportParams{IdempotencyKey: new(uuid.NewString())}
			job, err := client.Read[api.ImportJob](caller.API.RetryImport(ctx, given[0], params, api.RetryImportJSONRequestBody{Rows: &which}))
			if err != nil {
				return fmt.Errorf("%s: %w", given[0], err)
			}
			return a.watchCreated(ctx, caller, job, noWait)
		}),
	})
	c.Flags().BoolVar(&all, "all-errors", false, "all rows in error, corrected or not")
	c.Flags().BoolVar(&noWait, "no-wait", false, "return when the import has been made")
	return c
}
