package command

import (
	"context"
	"iter"
	"net/http"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// withClient returns the RunE of a command that calls the installation.
func (a *app) withClient(run func(ctx context.Context, caller *client.Client, given []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, given []string) error {
		caller, err := a.client()
		if err != nil {
			return err
		}
		return run(c.Context(), caller, given)
	}
}

// printPage prints up to limit entries of a list of the API; the returned function takes its
// first page.
func printPage[T any](ctx context.Context, a *app, caller *client.Client, limit int, table func([]T) *render.Table) func(*http.Response, error) error {
	return func(resp *http.Response, err error) error {
		total := ""
		if err == nil {
			total = resp.Header.Get("X-Total-Count")
		}
		return printList(a, client.Pages[T](ctx, caller)(resp, err), limit, total, table)
	}
}

// printList prints up to limit entries and reports whether there are more. total is the number of all
// entries; "" is unknown.
func printList[T any](a *app, entries iter.Seq2[T, error], limit int, total string, table func([]T) *render.Table) error {
	found, more, err := collectEntries(entries, limit)
	if err != nil {
		return err
	}
	if err := a.print(found, func() *render.Table { return table(found) }); err != nil {
		return err
	}
	if more && a.streams.OutIsTerminal {
		a.notifyMore(len(found), total)
	}
	return nil
}

// notifyMore reports that only a part of a list is shown.
func (a *app) notifyMore(shown int, total string) {
	if total == "" {
		a.notify("Only the first %d are shown. --limit shows more.", shown)
		return
	}
	a.notify("%d of %s are shown. All: --limit %s", shown, total, total)
}

// printValue prints the value of a response.
func printValue[T any](a *app, table func(*T) *render.Table) func(*http.Response, error) error {
	return func(resp *http.Response, err error) error {
		found, err := client.Read[T](resp, err)
		if err != nil {
			return err
		}
		return a.print(found, func() *render.Table { return table(found) })
	}
}

// cursorSeq iterates over a list that is read in parts. next returns the entries of a part and
// records the cursor of the following one for read.
func cursorSeq[P, T any](read func() (*http.Response, error), next func(*P) (entries []T, complete bool)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for complete := false; !complete; {
			part, err := client.Read[P](read())
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			var entries []T
			entries, complete = next(part)
			for _, entry := range entries {
				if !yield(entry, nil) {
					return
				}
			}
		}
	}
}
