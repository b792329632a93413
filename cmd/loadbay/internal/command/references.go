package command

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// reference is a kind of record that an organisation's files refer to or belong to. Its calls
// take the ids of the parents, such as that of the organisation.
type reference struct {
	use, short string
	parents    []string // names of the first arguments
	dates      []string // names of the date flags, which are also the JSON names
	list       func(context.Context, *client.Client, []string) (*http.Response, error)
	create     func(context.Context, *client.Client, []string, *bytes.Reader) (*http.Response, error)
	update     func(context.Context, *client.Client, []string, *bytes.Reader) (*http.Response, error)
}

// jsonBody is the content type of every request.
const jsonBody = "application/json"

func referenceCommands() []reference {
	return []reference{
		{
			"periods", "Manage membership periods", []string{"ORGANISATION"}, []string{"startsOn", "endsOn"},
			func(ctx context.Context, c *client.Client, at []string) (*http.Response, error) {
				return c.API.ListPeriods(ctx, at[0], &api.ListPeriodsParams{Size: new(listPageSize)})
			},
			func(ctx context.Context, c *client.Client, at []string, body *bytes.Reader) (*http.Response, error) {
				return c.API.CreatePeriodWithBody(ctx, at[0], jsonBody, body)
			},
			func(ctx context.Context, c *client.Client, at []string, body *bytes.Reader) (*http.Response, error) {
				return c.API.UpdatePeriodWithBody(ctx, at[0], at[1], jsonBody, body)
			},
		},
		{
			"events", "Manage events", []string{"ORGANISATION"}, []string{"startsOn"},
			func(ctx context.Context, c *client.Client, at []string) (*http.Response, error) {
				return c.API.ListEvents(ctx, at[0], &api.ListEventsParams{Size: new(listPageSize)})
			},
			func(ctx context.Context, c *client.Client, at []string, body *bytes.Reader) (*http.Response, error) {
				return c.API.CreateEventWithBody(ctx, at[0], jsonBody, body)
			},
			func(ctx context.Context, c *client.Client, at []string, body *bytes.Reader) (*http.Response, error) {
				return c.API.UpdateEventWithBody(ctx, at[0], at[1], jsonBody, body)
			},
		},
		{
			"categories", "Manage the categories of an event", []string{"ORGANISATION", "EVENT"}, nil,
			func(ctx context.Context, c *client.Client, at []string) (*http.Response, error) {
				return c.API.ListEventCategories(ctx, at[0], at[1], &api.ListEventCategoriesParams{Size: new(listPageSize)})
			},
			func(ctx context.Context, c *client.Client, at []string, body *bytes.Reader) (*http.Response, error) {
				return c.API.CreateEventCategoryWithBody(ctx, at[0], at[1], jsonBody, body)
			},
			func(ctx context.Context, c *client.Client, at []string, body *bytes.Reader) (*http.Response, error) {
				return c.API.UpdateEventCategoryWithBody(ctx, at[0], at[1], at[2], jsonBody, body)
			},
		},
		{
			"membership-types", "Manage membership types", []string{"ORGANISATION"}, nil,
			func(ctx context.Context, c *client.Client, at []string) (*http.Response, error) {
				return c.API.ListMembershipTypes(ctx, at[0], &api.ListMembershipTypesParams{Size: new(listPageSize)})
			},
			func(ctx context.Context, c *client.Client, at []string, body *bytes.Reader) (*http.Response, error) {
				return c.API.CreateMembershipTypeWithBody(ctx, at[0], jsonBody, body)
			},
			func(ctx context.Context, c *client.Client, at []string, body *bytes.Reader) (*http.Response, error) {
				return c.API.UpdateMembershipTypeWithBody(ctx, at[0], at[1], jsonBody, body)
			},
		},
	}
}

func (a *app) referenceCommand(r reference) *cobra.Command {
	parents, n := strings.Join(r.parents, " "), len(r.parents)
	c := &cobra.Command{Use: r.use, Short: r.short}
	var limit int
	entries := a.withFormatFlags(&cobra.Command{
		Use: "list " + parents, Short: "List entries by ID", Aliases: []string{"ls"}, Args: exactUsage(cobra.ExactArgs(n)),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printPage(ctx, a, caller, limit, r.table)(r.list(ctx, caller, given))
		}),
	})
	entries.Flags().IntVar(&limit, "limit", 100, "maximum number of results")
	c.AddCommand(entries,
		a.writeReference(r, "create "+parents+" NAME", "Create an entry", n+1, r.create),
		a.writeReference(r, "update "+parents+" ID NAME", "Update an entry", n+2, r.update))
	return c
}

// referenceEntry is a record of any of these kinds.
type referenceEntry struct {
	ID       int64   `json:"id"`
	Name     string  `json:"name"`
	StartsOn *string `json:"startsOn,omitempty"`
	EndsOn   *string `json:"endsOn,omitempty"`
}

func (r *reference) table(entries []referenceEntry) *render.Table {
	t := &render.Table{Header: []string{"ID", "NAME", "STARTS ON", "ENDS ON"}[:2+len(r.dates)]}
	for _, e := range entries {
		t.Add([]any{e.ID, e.Name, orDash(e.StartsOn), orDash(e.EndsOn)}[:2+len(r.dates)]...)
	}
	return t
}

// writeReference creates or replaces a record; its last argument is the name.
func (a *app) writeReference(r reference, use, short string, n int, write func(context.Context, *client.Client, []string, *bytes.Reader) (*http.Response, error)) *cobra.Command {
	days := make([]string, len(r.dates))
	c := a.withFormatFlags(&cobra.Command{
		Use: use, Short: short, Args: exactUsage(cobra.ExactArgs(n)),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			entry := map[string]string{"name": given[n-1]}
			for i, name := range r.dates {
				if days[i] != "" {
					entry[name] = days[i]
				}
			}
			text, err := json.Marshal(entry)
			if err != nil {
				return err
			}
			return printValue(a, func(e *referenceEntry) *render.Table { return r.table([]referenceEntry{*e}) })(write(ctx, caller, given, bytes.NewReader(text)))
		}),
	})
	for i, name := range r.dates {
		first := cmp.Or(map[string]string{"startsOn": "first"}[name], "last")
		c.Flags().StringVar(&days[i], strings.ToLower(strings.Replace(name, "On", "-on", 1)), "", fmt.Sprintf("%s day, such as 2027-01-31", first))
	}
	return c
}
