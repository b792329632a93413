package command

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) exportsCommand() *cobra.Command {
	c := &cobra.Command{Use: "exports", Short: "Manage exports"}
	c.AddCommand(a.exportsList(), a.exportsShow(), a.exportsCancel(), a.exportsDownload())
	return c
}

func (a *app) exportsList() *cobra.Command {
	var status, kind string
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List exports, newest first", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			params := &api.ListExportsParams{Size: new(min(limit, listPageSize)), ImportType: nonZero(strings.ToUpper(kind))}
			params.Status = nonZero(api.ListExportsParamsStatus(strings.ToUpper(status)))
			return printPage(ctx, a, caller, limit, exportTable)(caller.API.ListExports(ctx, params))
		}),
	})
	c.Flags().StringVar(&status, "status", "", "only exports with this status: pending, processing, completed, failed or cancelled")
	c.Flags().StringVar(&kind, "type", "", "only exports of this type")
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
	return c
}

func exportTable(exports []api.Export) *render.Table {
	t := &render.Table{Header: []string{"ID", "TYPE", "FORMAT", "STATE", "ROWS", "SIZE", "CREATED"}}
	for i := range exports {
		e := &exports[i]
		size := "-"
		if e.SizeBytes != nil {
			size = formatBytes(*e.SizeBytes)
		}
		t.Add(e.Identifier, e.ImportType, e.Format, formatEnum(e.Status), e.RecordCount, size, formatTime(&e.CreatedAt))
	}
	return t
}

func (a *app) exportsShow() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "show ID", Short: "Show the status of an export", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(exportIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, exportDetails)(caller.API.GetExport(ctx, given[0]))
		}),
	})
}

func exportDetails(e *api.Export) *render.Table {
	t := &render.Table{Header: []string{"PROPERTY", "VALUE"}}
	t.Add("id", e.Identifier)
	t.Add("type", e.ImportType)
	t.Add("format", e.Format)
	t.Add("state", formatEnum(e.Status))
	t.Add("rows", e.RecordCount)
	t.Add("columns", cmp.Or(strings.Join(e.Fields, " "), "-"))
	t.Add("created", formatTime(&e.CreatedAt))
	t.Add("ended", formatTime(e.CompletedAt))
	if e.Failure != nil {
		t.Add("failure", e.Failure.Code+": "+e.Failure.Message)
	}
	return t
}

func (a *app) exportsCancel() *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID...", Short: "Cancel exports", Args: exactUsage(cobra.MinimumNArgs(1)), ValidArgsFunction: a.completeArgs(exportIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			for _, id := range given {
				if err := client.Do(caller.API.CancelExport(ctx, id)); err != nil {
					return fmt.Errorf("%s: %w", id, err)
				}
				a.notify("Cancelled %s.", id)
			}
			return nil
		}),
	}
}

func (a *app) exportsDownload() *cobra.Command {
	var to saveFlags
	c := &cobra.Command{
		Use: "download ID", Short: "Download the file of an export", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(exportIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			job, err := client.Read[api.Export](caller.API.GetExport(ctx, given[0]))
			if err != nil {
				return err
			}
			return a.saveFile(to, strings.ToLower(job.ImportType)+"."+string(job.Format), kindOf(string(job.Format)), func(out *outputFile) (int64, error) {
				return caller.Save(ctx, out)(caller.API.DownloadExport(ctx, given[0], nil))
			})
		}),
	}
	to.bindOutput(c.Flags(), "TYPE.FORMAT")
	return c
}

// exportIDs completes the most recent exports.
func exportIDs(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(e *api.Export) (word, title string) {
		return e.Identifier.String(), fmt.Sprintf("%s as %s, %s", e.ImportType, e.Format, formatEnum(e.Status))
	})(c.API.ListExports(ctx, nil))
}
