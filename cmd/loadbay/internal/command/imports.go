package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) importsCommand() *cobra.Command {
	c := &cobra.Command{Use: "imports", Short: "Manage imports"}
	c.AddCommand(a.importsList(), a.importsShow(), a.importsWatch(), a.importsResume(), a.applyCommand(), a.importsCancel(), a.undoCommand())
	return c
}

func (a *app) importsList() *cobra.Command {
	var statuses []string
	var kind string
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List imports, newest first", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			params := &api.ListImportsParams{Size: new(min(limit, listPageSize))}
			if kind != "" {
				params.ImportType = new(strings.ToUpper(kind))
			}
			if len(statuses) > 0 {
				params.Status = new(upperAll(statuses))
			}
			return printPage(ctx, a, caller, limit, jobTable)(caller.API.ListImports(ctx, params))
		}),
	})
	c.Flags().StringSliceVar(&statuses, "status", nil, "only imports with one of these statuses, such as COLUMN_MAPPING")
	c.Flags().StringVar(&kind, "type", "", "only imports of this type")
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
	_ = c.RegisterFlagCompletionFunc("status", importStatuses()) // the flag is registered above
	return c
}

func upperAll(texts []string) []api.Status {
	out := make([]api.Status, len(texts))
	for i, t := range texts {
		out[i] = api.Status(strings.ToUpper(strings.ReplaceAll(t, "-", "_")))
	}
	return out
}

func jobTable(jobs []api.ImportSummary) *render.Table {
	t := &render.Table{Header: []string{"ID", "TYPE", "FILE", "STATE", "ROWS", "ERRORS", "CREATED"}}
	for i := range jobs {
		j := &jobs[i]
		t.Add(j.Identifier, j.ImportType, j.OriginalFilename, statusLabel(j.Status, j.WaitingFor, j.ProgressPercent), j.TotalRows, j.ErrorCount, formatTime(&j.CreatedAt))
	}
	return t
}

// statusLabel describes the state of an import.
func statusLabel[W ~string](status api.Status, waits *W, percent int) string {
	switch {
	case waits != nil:
		return "waits for " + formatEnum(*waits)
	case status == api.StatusPROCESSING:
		return fmt.Sprintf("processing, %d %%", percent)
	default:
		return formatEnum(status)
	}
}

// jobStatusLabel describes the state of an import.
func jobStatusLabel(j *api.ImportJob) string {
	return statusLabel(j.Status, j.WaitingFor, j.ProgressPercent)
}

func (a *app) importsShow() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "show ID", Short: "Show the status of an import", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, jobDetails)(caller.API.GetImport(ctx, given[0], nil))
		}),
	})
}

func jobDetails(j *api.ImportJob) *render.Table {
	t := &render.Table{Header: []string{"PROPERTY", "VALUE"}}
	t.Add("id", j.Identifier)
	t.Add("file", j.OriginalFilename)
	t.Add("type", j.ImportType)
	t.Add("state", jobStatusLabel(j))
	t.Add("rows", j.TotalRows)
	t.Add("created", j.CreatedCount)
	t.Add("updated", j.UpdatedCount)
	t.Add("unchanged", j.UnchangedCount)
	t.Add("skipped", j.SkippedCount)
	t.Add("errors", j.ErrorCount)
	if j.Plan != nil && j.Plan.Digest != nil {
		t.Add("plan", *j.Plan.Digest)
	}
	for _, w := range j.Warnings {
		t.Add("warning", w)
	}
	if j.Failure != nil {
		t.Add("failure", j.Failure.Code+": "+j.Failure.Message)
	}
	return t
}

// importIDs completes the most recent imports.
func importIDs(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	jobs, err := client.Read[[]api.ImportSummary](c.API.ListImports(ctx, nil))
	if err != nil {
		return nil, err
	}
	var found []cobra.Completion
	for i := range *jobs {
		j := &(*jobs)[i]
		found = append(found, cobra.CompletionWithDesc(j.Identifier.String(), j.ImportType+" "+j.OriginalFilename+", "+statusLabel(j.Status, j.WaitingFor, j.ProgressPercent)))
	}
	return found, nil
}

func (a *app) importsWatch() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "watch ID", Aliases: []string{"answer"}, Short: "Watch an import and answer its questions (or: answer)", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Watch an import until it is finished or waits for a decision. On a terminal, you can answer its
questions; otherwise they are printed as JSON and the exit code is 3.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return a.watchToEnd(ctx, caller, given[0])
		}),
	})
}

func (a *app) importsCancel() *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID...", Short: "Cancel imports; written rows are kept", Args: exactUsage(cobra.MinimumNArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			for _, id := range given {
				if err := client.Do(caller.API.DeleteImport(c.Context(), id, nil)); err != nil {
					return fmt.Errorf("%s: %w", id, err)
				}
				a.notify("Cancelled %s.", id)
			}
			return nil
		},
	}
}
