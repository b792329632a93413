package command

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) quarantineCommand() *cobra.Command {
	c := &cobra.Command{Use: "quarantine", Short: "Manage rejected files of the drop folder"}
	c.AddCommand(a.quarantineList(), a.quarantineRetry(), a.quarantineDelete())
	return c
}

func (a *app) quarantineList() *cobra.Command {
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List the files, newest first", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			params := &api.ListQuarantinedFilesParams{Size: new(min(limit, listPageSize))}
			return printPage(ctx, a, caller, limit, quarantineTable)(caller.API.ListQuarantinedFiles(ctx, params))
		}),
	})
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
	return c
}

func quarantineTable(files []api.Quarantined) *render.Table {
	t := &render.Table{Header: []string{"ID", "FILE", "SIZE", "CODE", "ERROR", "QUARANTINED"}}
	for i := range files {
		f := &files[i]
		t.Add(f.ID, f.ObjectKey, formatBytes(f.SizeBytes), f.Code, f.Message, formatTime(&f.QuarantinedAt))
	}
	return t
}

func (a *app) quarantineRetry() *cobra.Command {
	return &cobra.Command{
		Use: "retry ID...", Short: "Move files back to the drop folder to import them again", Args: exactUsage(cobra.MinimumNArgs(1)), ValidArgsFunction: a.completeArgs(quarantineIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return a.forEachQuarantined(given, "Moved back %s.", func(id uuid.UUID) (*http.Response, error) { return caller.API.RetryQuarantinedFile(ctx, id) })
		}),
	}
}

func (a *app) quarantineDelete() *cobra.Command {
	var yes bool
	return confirmFlag(&cobra.Command{
		Use: "delete ID...", Short: "Delete quarantined files", Aliases: []string{"rm"}, Args: exactUsage(cobra.MinimumNArgs(1)), ValidArgsFunction: a.completeArgs(quarantineIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if err := a.confirm(fmt.Sprintf("Delete %d files permanently?", len(given)), yes); err != nil {
				return err
			}
			return a.forEachQuarantined(given, "Deleted %s.", func(id uuid.UUID) (*http.Response, error) { return caller.API.DeleteQuarantinedFile(ctx, id) })
		}),
	}, &yes)
}

func (a *app) forEachQuarantined(ids []string, done string, call func(uuid.UUID) (*http.Response, error)) error {
	for _, text := range ids {
		id, err := parseID(text)
		if err != nil {
			return err
		}
		if err := client.Do(call(id)); err != nil {
			return fmt.Errorf("%s: %w", text, err)
		}
		a.notify(done, text)
	}
	return nil
}

// quarantineIDs completes the most recently quarantined files.
func quarantineIDs(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(f *api.Quarantined) (word, title string) { return f.ID.String(), f.ObjectKey })(c.API.ListQuarantinedFiles(ctx, nil))
}
