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
		Use: "retry ID", Short: "Retry failed rows", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Retry the corrected rows of an import, or with --all-errors all failed rows, for example after
a missing entry was added.`,
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
	c.Flags().BoolVar(&all, "all-errors", false, "all failed rows, corrected or not")
	c.Flags().BoolVar(&noWait, "no-wait", false, "return when the import is created")
	return c
}
