package command

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/terminal"
)

// exportFlags are the flags of the command export.
type exportFlags struct {
	saveFlags
	format, filter string
	fields         []string
}

func (a *app) exportCommand() *cobra.Command {
	var f exportFlags
	c := &cobra.Command{
		Use: "export RESOURCE", Short: "Export data as a file that can be imported again",
		Example: `  loadbay export users --format csv -o users.csv
  loadbay export users --fields email,role --filter '{"role": ["editor"]}' | wc -l`,
		Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(resourceNames),
		RunE: func(c *cobra.Command, given []string) error { return a.exportFile(c.Context(), &f, given[0]) },
	}
	flags := c.Flags()
	flags.StringVar(&f.format, "format", "csv", "csv, ndjson or xlsx")
	f.bindOutput(flags, "RESOURCE.FORMAT")
	flags.StringSliceVar(&f.fields, "fields", nil, "columns to export")
	flags.StringVar(&f.filter, "filter", "", `filter of rows, as JSON: {"role": ["editor"], "created_at": {"from": "2026-01-01"}}`)
	return c
}

// exportFile requests an export, waits for it and saves the file.
func (a *app) exportFile(ctx context.Context, f *exportFlags, resource string) error {
	caller, err := a.client()
	if err != nil {
		return err
	}
	of, err := findType(ctx, caller, resource)
	if err != nil {
		return notUsage(err)
	}
	if of.Resource == "" {
		return fmt.Errorf("%s cannot be exported (see loadbay types)", of.Name)
	}
	body := client.ExportRequest{ResourceType: of.Resource, Format: new(api.ExportFormat(f.format))}
	if len(f.fields) > 0 {
		body.Fields = &f.fields
	}
	if f.filter != "" {
		if err := json.Unmarshal([]byte(f.filter), &body.Filters); err != nil {
			return usageError{fmt.Errorf("--filter is not JSON: %w", err)}
		}
	}
	return a.saveFile(f.saveFlags, of.Resource+"."+f.format, kindOf(f.format), func(out *outputFile) (int64, error) {
		bar := terminal.NewBar(a.streams)
		defer bar.Done()
		job, err := caller.Export(ctx, "", body, out, func(j *api.ExportJob) {
			bar.Set("Exporting ", 0, 0, fmt.Sprintf("%d rows", j.RecordCount))
		})
		if err != nil {
			return 0, err
		}
		return *job.SizeBytes, nil
	})
}

// resourceNames completes the resources that can be exported.
func resourceNames(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(t *api.ImportType) (word, title string) { return t.Resource, t.Title })(c.API.ListImportTypes(ctx))
}
