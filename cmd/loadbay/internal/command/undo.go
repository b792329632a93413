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

// undoFlags are the flags of an undo.
type undoFlags struct {
	preview, retries bool
	mode             string
}

// undoCommand returns the command for loadbay undo and loadbay imports undo.
func (a *app) undoCommand() *cobra.Command {
	flags := undoFlags{mode: string(api.UndoModeSafe)}
	c := a.withFormatFlags(&cobra.Command{
		Use: "undo ID", Short: "Undo the changes of an import", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Undo the changes of an import, the latest change first. Values that were changed later, entities
that are referenced, and entities whose key is used by another one are kept and reported. Retries of
the import, which include its corrections, are imports of their own: --retries undoes them as well.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return a.undo(ctx, caller, given[0], flags)
		}),
	})
	c.Flags().BoolVar(&flags.preview, "preview", false, "show the outcome of each change without reverting it")
	c.Flags().BoolVar(&flags.retries, "retries", false, "undo the retries of the import as well, the latest changes first")
	c.Flags().StringVar(&flags.mode, "mode", flags.mode, "safe; cascade: undo later imports of the same entities first; force: revert changes by others as well")
	_ = c.RegisterFlagCompletionFunc("mode", fixedCompletion(api.UndoModeSafe, api.UndoModeCascade, api.UndoModeForce)) // the flag is registered above
	return c
}

// undo undoes an import and waits for the end.
func (a *app) undo(ctx context.Context, caller *client.Client, id string, flags undoFlags) error {
	wanted := api.UndoMode(strings.ToLower(flags.mode))
	undo, err := client.Read[api.ImportJob](caller.API.UndoImport(ctx, id,
		&api.UndoImportParams{Preview: &flags.preview, IdempotencyKey: new(uuid.NewString())}, api.UndoImportJSONRequestBody{Mode: &wanted, Retries: &flags.retries}))
	if err != nil {
		return fmt.Errorf("%s: %w", id, err)
	}
	job, err := a.watch(ctx, caller, undo.Identifier.String())
	if err != nil {
		return err
	}
	if client.Ended(job) {
		a.notify("%s", undoResult(job))
	}
	switch retries := job.UndoRetries; {
	case retries == nil:
	case retries.Included:
		a.notify("This includes the retries of the import (%d).", retries.Count)
	default:
		a.notify("Retries of this import (%d) keep their changes. Use --retries to undo them as well.", retries.Count)
	}
	return a.finish(ctx, caller, job)
}

// undoResult describes the result of an undo.
func undoResult(j *api.ImportJob) string {
	done, kept := "reverted", "kept"
	if j.DryRun {
		done, kept = "would be reverted", "would be kept"
	}
	return fmt.Sprintf("%d of %d changes %s, %d %s.", j.UpdatedCount, j.TotalRows, done, j.SkippedCount, kept)
}
