package command

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// changesFlags are the flags of the command changes.
type changesFlags struct {
	force                bool
	summary              bool
	ndjson, xlsx         string
	kind, field, holding string
	limit                int
}

func (a *app) changesCommand() *cobra.Command {
	var f changesFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "changes ID", Aliases: []string{"diff"}, Short: "Show the changes of an import, value by value (or: diff)", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: "Show the changes of an import, value by value. For a plan, show the planned changes.\nloadbay diff is an alias.",
		Example: `  loadbay changes 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --summary
  loadbay diff 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --field EMAIL --kind updated
  loadbay changes 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --ndjson - | jq .fields`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return a.changes(ctx, caller, &f, given[0])
		}),
	})
	flags := c.Flags()
	flags.BoolVar(&f.summary, "summary", false, "count the changes by table and field")
	flags.StringVar(&f.ndjson, "ndjson", "", `save all changes as NDJSON; "-" is standard output`)
	flags.StringVar(&f.xlsx, "xlsx", "", `save all changes as a workbook; "-" is standard output`)
	bindForce(flags, &f.force)
	flags.StringVar(&f.kind, "kind", "", "only changes of this kind: created, updated, deleted")
	flags.StringVar(&f.field, "field", "", "only changes of this field")
	flags.StringVar(&f.holding, "q", "", "only changes with this text in the old or new value")
	flags.IntVar(&f.limit, "limit", 100, "maximum number of results")
	return c
}

func (a *app) changes(ctx context.Context, caller *client.Client, f *changesFlags, id string) error {
	switch {
	case f.summary && f.ndjson+f.xlsx != "", f.ndjson != "" && f.xlsx != "":
		return usageError{errors.New("use only one of --summary, --ndjson and --xlsx")}
	case f.summary:
		found, err := client.Read[api.ChangesSummary](caller.API.GetChangeSummary(ctx, id, nil))
		if err != nil {
			return err
		}
		return a.print(found, func() *render.Table { return summaryTable(found) })
	case f.ndjson != "":
		return a.saveFile(saveFlags{f.ndjson, f.force}, "", textFile, func(out *outputFile) (int64, error) {
			return caller.Save(ctx, out)(caller.API.DownloadChanges(ctx, id, nil))
		})
	case f.xlsx != "":
		return a.saveFile(saveFlags{f.xlsx, f.force}, "", binaryFile, func(out *outputFile) (int64, error) {
			return caller.Save(ctx, out)(caller.API.DownloadChangeWorkbook(ctx, id, nil))
		})
	}
	return printList(a, changeSeq(ctx, caller, f, id), f.limit, "", changesTable)
}

// changesPageSize is the number of changes per request.
const changesPageSize = 200

func changeSeq(ctx context.Context, caller *client.Client, f *changesFlags, id string) iter.Seq2[api.Change, error] {
	params := &api.ListChangesParams{Limit: new(min(f.limit, changesPageSize))}
	if f.field != "" {
		params.Field = new(strings.ToUpper(f.field))
	}
	if f.holding != "" {
		params.Q = &f.holding
	}
	if f.kind != "" {
		params.Kind = new(api.ChangeKind(strings.ToUpper(f.kind)))
	}
	return cursorSeq(func() (*http.Response, error) { return caller.API.ListChanges(ctx, id, params) },
		func(p *api.ChangesPart) ([]api.Change, bool) {
			params.Cursor = p.Cursor
			return p.Changes, p.Complete
		})
}

// changesTable has a line for each field of a change, and one for a change without any.
func changesTable(changes []api.Change) *render.Table {
	t := &render.Table{Header: []string{"ROW", "KIND", "TABLE", "ID", "FIELD", "BEFORE", "AFTER"}}
	for i := range changes {
		c := &changes[i]
		row := "-"
		if c.RowNumber != nil {
			row = fmt.Sprint(*c.RowNumber)
		}
		if len(c.Fields) == 0 {
			t.Add(row, c.Kind, c.Table, c.ID, "-", "-", "-")
		}
		for _, field := range c.Fields {
			t.Add(row, c.Kind, c.Table, c.ID, field.Field, orDash(field.Before), orDash(field.After))
		}
	}
	return t
}

// summaryTable has a line for each table and one for each of its fields.
func summaryTable(s *api.ChangesSummary) *render.Table {
	t := &render.Table{Header: []string{"TABLE", "FIELD", "CREATED", "CHANGED", "DELETED", "ANOMALIES"}}
	for _, table := range s.Tables {
		t.Add(table.Table, "-", table.Created, table.Updated, table.Deleted, "-")
		for i := range s.Fields {
			if field := &s.Fields[i]; field.Table == table.Table {
				t.Add(table.Table, field.Field, "-", field.Changed, "-", formatAnomalies(field))
			}
		}
	}
	return t
}

// formatAnomalies formats the number of new, removed and strongly different values.
func formatAnomalies(f *api.FieldSummary) string {
	var parts []string
	count := func(n int64, text string, args ...any) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d ", n)+fmt.Sprintf(text, args...))
		}
	}
	count(f.Filled, "filled")
	count(f.Emptied, "emptied")
	for _, step := range f.Rises {
		count(step.Count, "rise by more than %d %%", step.MoreThanPercent)
	}
	for _, step := range f.Falls {
		count(step.Count, "fall by more than %d %%", step.MoreThanPercent)
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}
