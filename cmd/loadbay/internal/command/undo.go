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

// undoCommand is both loadbay undo and loadbay imports undo.
func (a *app) undoCommand() *cobra.Command {
	var preview bool
	mode := string(api.UndoModeSafe)
	c := a.withFormatFlags(&cobra.Command{
		Use: "undo ID", Short: "Take back what an import has changed", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: "Takes back what an import has changed, the latest change first. What others have changed since, what is\nreferred to, and what has lost its key to something else stays, and is said to.",
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
	c.Flags().BoolVar(&preview, "preview", false, "say what would become of each change, and take nothing back")
	c.Flags().StringVar(&mode, "mode", mode, "safe; cascade: what later imports did to the same first; force: what others did as well")
	_ = c.RegisterFlagCompletionFunc("mode", fixedCompletion(api.UndoModeSafe, api.UndoModeCascade, api.UndoModeForce)) // it is registered above
	return c
}

// undoResult says what an undo has come to.
func undoResult(j *api.ImportJob) string {
	done, stays := "taken back", "stay"
	if j.DryRun {
		done, stays = "would be taken back", "would stay"
	}
	return fmt.Sprintf("%d of %d changes %s, %d %s.", j.UpdatedCount, j.TotalRows, done, j.SkippedCount, stays)
}
