package command

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) importsCommand() *cobra.Command {
	c := &cobra.Command{Use: "imports", Short: "The organisation's imports"}
	c.AddCommand(a.importsList(), a.importsShow(), a.importsWatch(), a.importsResume(), a.applyCommand(), a.importsCancel(), a.importsUndo())
	return c
}

func (a *app) importsList() *cobra.Command {
	var statuses []string
	var kind string
	var limit int
	c := a.formatted(&cobra.Command{
		Use: "list", Short: "List them, newest first", Aliases: []string{"ls"}, Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			params := &api.ListImportsParams{Size: new(min(limit, 200))}
			if kind != "" {
				params.ImportType = new(strings.ToUpper(kind))
			}
			if len(statuses) > 0 {
				params.Status = new(upper(statuses))
			}
			entries := client.Pages[api.ImportSummary](c.Context(), caller)(caller.API.ListImports(c.Context(), params))
			found, more, err := collect(entries, limit)
			if err != nil {
				return err
			}
			if more {
				a.say("There are more: --limit shows them.")
			}
			return a.show(found, func() *render.Table { return jobTable(found) })
		},
	})
	c.Flags().StringSliceVar(&statuses, "status", nil, "only those that are in one of these states, such as COLUMN_MAPPING")
	c.Flags().StringVar(&kind, "type", "", "only those of this type")
	c.Flags().IntVar(&limit, "limit", 30, "at most so many")
	_ = c.RegisterFlagCompletionFunc("status", importStatuses()) // it is registered above
	return c
}

func upper(texts []string) []api.Status {
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
		t.Add(j.Identifier, j.ImportType, j.OriginalFilename, state(j.Status, j.WaitingFor, j.ProgressPercent), j.TotalRows, j.ErrorCount, j.CreatedAt.Local().Format(time.DateTime))
	}
	return t
}

// state is where an import stands, in words.
func state[W ~string](status api.Status, waits *W, percent int) string {
	switch {
	case waits != nil:
		return "waits for " + strings.ToLower(strings.ReplaceAll(string(*waits), "_", " "))
	case status == api.StatusPROCESSING:
		return fmt.Sprintf("processing, %d %%", percent)
	default:
		return strings.ToLower(strings.ReplaceAll(string(status), "_", " "))
	}
}

// stateOf is where an import stands, in words.
func stateOf(j *api.ImportJob) string { return state(j.Status, j.WaitingFor, j.ProgressPercent) }

func (a *app) importsShow() *cobra.Command {
	return a.formatted(&cobra.Command{
		Use: "show ID", Short: "Where an import stands", Args: args(cobra.ExactArgs(1)), ValidArgsFunction: a.completions(importIDs),
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			j, err := client.Read[api.ImportJob](caller.API.GetImport(c.Context(), given[0], nil))
			if err != nil {
				return err
			}
			return a.show(j, func() *render.Table { return oneJob(j) })
		},
	})
}

func oneJob(j *api.ImportJob) *render.Table {
	t := &render.Table{Header: []string{"WHAT", "VALUE"}}
	t.Add("id", j.Identifier)
	t.Add("file", j.OriginalFilename)
	t.Add("type", j.ImportType)
	t.Add("state", stateOf(j))
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

// importIDs are the newest imports, as completions.
func importIDs(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	jobs, err := client.Read[[]api.ImportSummary](c.API.ListImports(ctx, nil))
	if err != nil {
		return nil, err
	}
	var found []cobra.Completion
	for i := range *jobs {
		j := &(*jobs)[i]
		found = append(found, cobra.CompletionWithDesc(j.Identifier.String(), j.ImportType+" "+j.OriginalFilename+", "+state(j.Status, j.WaitingFor, j.ProgressPercent)))
	}
	return found, nil
}

func (a *app) importsWatch() *cobra.Command {
	return a.formatted(&cobra.Command{
		Use: "watch ID", Short: "Follow an import until it has ended or waits for somebody", Args: args(cobra.ExactArgs(1)), ValidArgsFunction: a.completions(importIDs),
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			job, err := a.watch(c.Context(), caller, given[0])
			if err != nil {
				return err
			}
			return a.conclude(c.Context(), caller, job)
		},
	})
}

func (a *app) importsCancel() *cobra.Command {
	return &cobra.Command{
		Use: "cancel ID...", Short: "Stop imports: what is written stays", Args: args(cobra.MinimumNArgs(1)), ValidArgsFunction: a.completions(importIDs),
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			for _, id := range given {
				if err := client.Do(caller.API.DeleteImport(c.Context(), id, nil)); err != nil {
					return fmt.Errorf("%s: %w", id, err)
				}
				a.say("Cancelled %s.", id)
			}
			return nil
		},
	}
}
