package command

import (
	"context"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) errorsCommand() *cobra.Command {
	var book saveFlags
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "errors ID", Short: "Show the row errors of an import", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		Example: `  loadbay errors 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4 --xlsx errors.xlsx
  # correct errors.xlsx, and then
  loadbay import errors.xlsx --type USER --retry-of 01a1f9e7-1bde-7bf8-ac8c-500f93581dd4`,
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			if book.path == "" {
				return a.printErrors(c.Context(), caller, given[0], limit)
			}
			err = a.saveFile(book, "", binaryFile, func(f *outputFile) (int64, error) {
				return caller.Save(c.Context(), f)(caller.API.DownloadErrorWorkbook(c.Context(), given[0], nil))
			})
			if errors.Is(err, client.ErrNoContent) {
				a.notify("No rows have errors.")
				return nil
			}
			return err
		},
	})
	c.Flags().StringVar(&book.path, "xlsx", "", `save the failed rows as a workbook to correct them; "-" is standard output`)
	bindForce(c.Flags(), &book.force)
	c.Flags().IntVar(&limit, "limit", 100, "maximum number of rows")
	return c
}

// printErrors prints the errors of an import's first rows with errors.
func (a *app) printErrors(ctx context.Context, caller *client.Client, id string, limit int) error {
	return a.printResults(ctx, caller, id, new(api.OutcomeERROR), limit)
}

func (a *app) resultsCommand() *cobra.Command {
	var outcome string
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "results ID", Short: "Show the outcome of every row of an import", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(importIDs),
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			var only *api.Outcome
			if outcome != "" {
				only = new(api.Outcome(strings.ToUpper(outcome)))
			}
			return a.printResults(c.Context(), caller, given[0], only, limit)
		},
	})
	c.Flags().StringVar(&outcome, "outcome", "", "only rows with this outcome: CREATED, UPDATED, UNCHANGED, SKIPPED, ERROR")
	c.Flags().IntVar(&limit, "limit", 1000, "maximum number of rows")
	return c
}

// resultsPageSize is the number of rows per request.
const resultsPageSize = 1000

func (a *app) printResults(ctx context.Context, caller *client.Client, id string, outcome *api.Outcome, limit int) error {
	params := &api.ListResultsParams{Outcome: outcome, Size: new(min(limit, resultsPageSize))}
	return printPage(ctx, a, caller, limit, errorTable)(caller.API.ListResults(ctx, id, params))
}

// errorTable has a line for each error of a row, and one for a row without errors.
func errorTable(rows []api.RowResult) *render.Table {
	t := &render.Table{Header: []string{"ROW", "OUTCOME", "FIELD", "VALUE", "ERROR"}}
	for _, r := range rows {
		if len(r.Faults) == 0 {
			t.Add(r.RowNumber, r.Outcome, "-", "-", orDash(r.Message))
		}
		for _, f := range r.Faults {
			t.Add(r.RowNumber, r.Outcome, orDash(f.Field), orDash(f.Value), f.Message)
		}
	}
	return t
}
