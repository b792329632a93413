package command

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) importsCommand() *cobra.Command {
	c := &cobra.Command{Use: "imports", Short: "Manage imports"}
	c.AddCommand(a.importsList(), a.importsShow(), a.importsColumns(), a.importsMapping(), a.importsWatch(), a.importsResume(), a.applyCommand(), a.importsCancel(), a.undoCommand())
	return c
}

// listFlags are the filters of a list of imports.
type listFlags struct {
	statuses                                               []string
	kind, file, by, label, profile, sort, from, to, active string
	waiting                                                bool
}

func (f *listFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringSliceVar(&f.statuses, "status", nil, "only imports with one of these statuses, such as COLUMN_MAPPING")
	flags.StringVar(&f.kind, "type", "", "only imports of this type")
	flags.StringVar(&f.file, "filename", "", "only imports with this text in the name of their file")
	flags.StringVar(&f.by, "person", "", "only imports by this person; drop for the drop folder")
	flags.StringVar(&f.label, "label", "", "only imports with this label")
	flags.StringVar(&f.profile, "profile", "", "only imports that used this profile")
	flags.StringVar(&f.from, "since", "", "only imports created on or after this date or time, such as 2026-05-31")
	flags.StringVar(&f.to, "until", "", "only imports created on or before this date, or before this time")
	flags.StringVar(&f.active, "active", "", "true: only imports that have not ended; false: only ended ones")
	flags.BoolVar(&f.waiting, "waiting", false, "only imports that wait for answers or for an approval")
	flags.StringVar(&f.sort, "sort", "", "createdAt, updatedAt, filename, label or status; with a minus sign in reverse order")
	_ = c.RegisterFlagCompletionFunc("status", importStatuses()) // the flags are registered above
	_ = c.RegisterFlagCompletionFunc("active", fixedCompletion("true", "false"))
	_ = c.RegisterFlagCompletionFunc("sort", fixedCompletion("createdAt", "-createdAt", "updatedAt", "-updatedAt", "filename", "-filename", "label", "-label", "status", "-status"))
}

// params returns the parameters of the request.
func (f *listFlags) params(limit int) (*api.ListImportsParams, error) {
	p := &api.ListImportsParams{
		Size: new(min(limit, listPageSize)), ImportType: nonZero(strings.ToUpper(f.kind)), Filename: nonZero(f.file), Uploader: nonZero(f.by),
		Label: nonZero(f.label), Profile: nonZero(f.profile), CreatedFrom: nonZero(f.from), CreatedTo: nonZero(f.to),
		Sort: nonZero(api.ListImportsParamsSort(f.sort)), Waiting: nonZero(f.waiting),
	}
	if len(f.statuses) > 0 {
		p.Status = new(upperAll(f.statuses))
	}
	if f.active != "" {
		active, err := strconv.ParseBool(f.active)
		if err != nil {
			return nil, usageError{errors.New("--active must be true or false")}
		}
		p.Active = &active
	}
	return p, nil
}

func (a *app) importsList() *cobra.Command {
	var f listFlags
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List imports, newest first", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		Example: `  loadbay imports list --waiting
  loadbay imports list --label nightly --since 2026-05-01 --status failed`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			params, err := f.params(limit)
			if err != nil {
				return err
			}
			return printPage(ctx, a, caller, limit, jobTable)(caller.API.ListImports(ctx, params))
		}),
	})
	f.register(c)
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
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
	t := &render.Table{Header: []string{"ID", "TYPE", "FILE", "STATE", "ROWS", "ERRORS", "CREATED", "KIND", "UNDONE BY", "LABEL", "PERSON"},
		Optional: []string{"PERSON", "UNDONE BY", "LABEL", "CREATED", "KIND", "ROWS", "ERRORS"}}
	for i := range jobs {
		j := &jobs[i]
		t.Add(j.Identifier, j.ImportType, j.OriginalFilename, statusLabel(j.Status, j.WaitingFor, j.ProgressPercent), j.TotalRows, j.ErrorCount, formatTime(&j.CreatedAt),
			importKind(j.Status, j.DryRun, j.UndoOf != nil, j.RetryOf != nil), undoneLabel(j.UndoneBy), orDash(j.Label), orDash(j.Uploader))
	}
	return t
}

// importKind names what an import is: a file, or an action on an earlier import.
func importKind(status api.Status, dryRun, undo, retry bool) string {
	switch {
	case undo && dryRun:
		return "undo preview"
	case undo:
		return "undo"
	case status == api.StatusAWAITINGAPPROVAL:
		return "plan"
	case dryRun:
		return "dry run"
	case retry:
		return "retry"
	default:
		return "import"
	}
}

// undoneLabel names the undo of an import.
func undoneLabel(by *api.TakenBack) string {
	switch {
	case by == nil:
		return "-"
	case by.Whole:
		return by.Identifier.String()
	default:
		return by.Identifier.String() + " (partly)"
	}
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
	t.Add("kind", importKind(j.Status, j.DryRun, j.UndoOf != nil, j.RetryOf != nil))
	t.Add("state", jobStatusLabel(j))
	addSet(t, "undo of", j.UndoOf)
	addSet(t, "retry of", j.RetryOf)
	if j.UndoneBy != nil {
		t.Add("undone by", undoneLabel(j.UndoneBy))
	}
	t.Add("mode", j.Mode)
	addSet(t, "label", j.Label)
	addSet(t, "person", j.Uploader)
	if j.Profile != nil {
		t.Add("profile", j.Profile.Name)
	}
	t.Add("started", formatTime(&j.CreatedAt))
	t.Add("ended", formatTime(j.CompletedAt))
	t.Add("rows", j.TotalRows)
	t.Add("created", j.CreatedCount)
	t.Add("updated", j.UpdatedCount)
	t.Add("unchanged", j.UnchangedCount)
	t.Add("skipped", j.SkippedCount)
	t.Add("errors", j.ErrorCount)
	if j.Plan != nil && j.Plan.Digest != nil {
		t.Add("plan", *j.Plan.Digest)
	}
	for _, w := range warningTexts(j) {
		t.Add("warning", w)
	}
	if j.Failure != nil {
		t.Add("failure", j.Failure.Code+": "+j.Failure.Message)
	}
	return t
}

// addSet adds a property that is set.
func addSet[T any](t *render.Table, name string, value *T) {
	if value != nil {
		t.Add(name, *value)
	}
}

// warningTexts are the warnings of an import as sentences.
func warningTexts(j *api.ImportJob) []string {
	if len(j.WarningTexts) == len(j.Warnings) {
		return j.WarningTexts
	}
	return j.Warnings // of an older installation
}

// importIDs completes the most recent imports.
func importIDs(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(j *api.ImportSummary) (word, title string) {
		return j.Identifier.String(), j.ImportType + " " + j.OriginalFilename + ", " + statusLabel(j.Status, j.WaitingFor, j.ProgressPercent)
	})(c.API.ListImports(ctx, nil))
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
				if err := client.Do(caller.API.CancelImport(c.Context(), id, nil)); err != nil {
					return fmt.Errorf("%s: %w", id, err)
				}
				a.notify("Cancelled %s.", id)
			}
			return nil
		},
	}
}
