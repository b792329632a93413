package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
)

// undoCommand returns the command for loadbay undo and loadbay imports undo.
func (a *app) undoCommand() *cobra.Command {
	var preview bool
	mode := string(api.UndoModeSafe)
	c := a.withFormatFlags(&cobra.Command{
		Use: "undo ID", Short: "Undo the changes of an import", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: "Undo the changes of an import, the latest change first. Values that were changed later, entities that are\nreferenced, and entities whose key is used by another one are kept and reported.",
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			wanted := api.UndoMode(strings.ToLower(mode))
			undo, err := client.Read[api.ImportJob](caller.API.UndoImport(ctx, given[0],
				&api.UndoImportParams{Preview: &preview, IdempotencyKey: new(uuid.NewString())}, api.UndoImportJSONRequestBody{Mode: &wanted}))
			if err != nil {
				return fmt.Errorf("%s: %w", given[0], err)
			}
			job, err := a.watch(ctx, caller, undo.Identifier.String())
			if err != nil {
				return err
			}
			if client.Ended(job) {
				a.notify("%s", undoResult(job))
			}
			return a.finish(ctx, caller, job)
		}),
	})
	c.Flags().BoolVar(&preview, "preview", false, "show the outcome of each change without reverting it")
	c.Flags().StringVar(&mode, "mode", mode, "safe; cascade: undo later imports of the same entities first; force: revert changes by others as well")
	_ = c.RegisterFlagCompletionFunc("mode", fixedCompletion(api.UndoModeSafe, api.UndoModeCascade, api.UndoModeForce)) // the flag is registered above
	return c
}

// undoResult describes the result of an undo.
func undoResult(j *api.ImportJob) string {
	done, kept := "reverted", "kept"
	if j.DryRun {
		done, kept = "would be reverted", "would be kept"
	}
	return fmt.Sprintf("%d of %d changes %s, %d %s.", j.UpdatedCount, j.TotalRows, done, j.SkippedCount, kept)
}
