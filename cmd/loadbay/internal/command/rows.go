package command

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// rowsFlags are the flags of the command rows.
type rowsFlags struct {
	outcome, field, code, holding string
	open, summary                 bool
	limit                         int
}

func (a *app) rowsCommand() *cobra.Command {
	var f rowsFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "rows ID", Short: "Show the rows of an import with their cells", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Long: `Show the rows of an import with their cells, read from the file again, and their errors.
--summary counts the errors. To correct cells, use loadbay correct.`,
		Example: `  loadbay rows 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --summary
  loadbay rows 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --open --field EMAIL --code CELL_EMAIL
  loadbay rows 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --outcome error --jq '.[].values[] | select(.code).read'`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if f.summary {
				return printValue(a, countTable)(caller.API.CountRows(ctx, given[0]))
			}
			return a.listRows(ctx, caller, &f, given[0])
		}),
	})
	flags := c.Flags()
	flags.BoolVar(&f.summary, "summary", false, "count the rows by error")
	flags.StringVar(&f.outcome, "outcome", "", "only rows with this outcome: created, updated, unchanged, skipped, error")
	flags.StringVar(&f.field, "field", "", "only rows with an error in this field")
	flags.StringVar(&f.code, "code", "", "only rows with an error of this code")
	flags.BoolVar(&f.open, "open", false, "only failed rows that were not fixed yet")
	flags.StringVar(&f.holding, "q", "", "only rows with this text in a cell")
	flags.IntVar(&f.limit, "limit", 100, "maximum number of results")
	return c
}

// rowsPageSize is the number of rows per request.
const rowsPageSize = 200

func (a *app) listRows(ctx context.Context, caller *client.Client, f *rowsFlags, id string) error {
	params := &api.ListRowsParams{Limit: new(min(f.limit, rowsPageSize)), Open: nonZero(f.open), Q: nonZero(f.holding)}
	params.Outcome = nonZero(api.Outcome(strings.ToUpper(f.outcome)))
	params.Field, params.Code = nonZero(strings.ToUpper(f.field)), nonZero(strings.ToUpper(f.code))
	var header []string
	entries := cursorSeq(func() (*http.Response, error) { return caller.API.ListRows(ctx, id, params) },
		func(p *api.RowsPart) ([]api.RowCells, bool) {
			header, params.Cursor = p.Header, p.Cursor
			return p.Rows, p.Complete
		})
	return printList(a, entries, f.limit, "", func(rows []api.RowCells) *render.Table { return cellTable(header, rows) })
}

// cellTable has the outcome of each row, the columns of the file, and the row's errors.
func cellTable(header []string, rows []api.RowCells) *render.Table {
	t := &render.Table{Header: []string{"ROW", "OUTCOME"}}
	for i, name := range header {
		t.Header = append(t.Header, cmp.Or(name, fmt.Sprintf("#%d", i+1)))
	}
	t.Header = append(t.Header, "ERROR")
	for i := range rows {
		r := &rows[i]
		cells := []any{r.RowNumber, r.Outcome}
		for column := range header {
			cells = append(cells, cellAt(r.Cells, column))
		}
		t.Add(append(cells, rowErrorText(r.Faults))...)
	}
	return t
}

// cellAt returns a cell of a row, or "" if the row is shorter than the header.
func cellAt(cells []string, column int) string {
	if column >= len(cells) {
		return ""
	}
	return cells[column]
}

// rowErrorText joins the errors of a row in one line.
func rowErrorText(faults []api.Fault) string {
	messages := make([]string, len(faults))
	for i, f := range faults {
		messages[i] = f.Message
		if f.Field != nil {
			messages[i] = *f.Field + ": " + f.Message
		}
	}
	return cmp.Or(strings.Join(messages, "; "), "-")
}

// countTable has a line for each kind of row error.
func countTable(c *api.RowCounts) *render.Table {
	t := &render.Table{Header: []string{"FIELD", "CODE", "OUTCOME", "ROWS"}}
	for _, kind := range c.Counts {
		t.Add(cmp.Or(kind.Field, "-"), kind.Code, kind.Outcome, kind.Rows)
	}
	return t
}
