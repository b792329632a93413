package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

// contextFlags name what the rows of a file belong to: a membership period or an event.
type contextFlags struct {
	id                     int64
	period, event, belongs string
}

func (f *contextFlags) register(flags *pflag.FlagSet) {
	flags.Int64Var(&f.id, "context-id", 0, "the ID of the period or event that the rows belong to")
	flags.StringVar(&f.period, "period", "", "the name of the membership period that the rows belong to, such as 2026")
	flags.StringVar(&f.event, "event", "", "the name of the event that the rows belong to")
	flags.StringVar(&f.belongs, "belongs-to", "", "the name of what the rows belong to, for any type (see loadbay contexts TYPE)")
}

// resolve returns the ID that the flags mean for a type, or 0.
func (f *contextFlags) resolve(ctx context.Context, caller *client.Client, kind string) (int64, error) {
	var name string
	set := 0
	for _, n := range []string{f.period, f.event, f.belongs} {
		if n != "" {
			name = n
			set++
		}
	}
	if set == 0 {
		return f.id, nil
	}
	if set > 1 || f.id != 0 {
		return 0, usageError{errors.New("use only one of --context-id, --period, --event and --belongs-to")}
	}
	params := &api.ListContextsParams{Type: strings.ToUpper(kind), Q: &name, Size: new(listPageSize)}
	var similar []string
	var found []referenceEntry
	for c, err := range client.Pages[referenceEntry](ctx, caller)(caller.API.ListContexts(ctx, params)) {
		switch {
		case err != nil:
			return 0, err
		case strings.EqualFold(c.Name, name):
			found = append(found, c)
		case len(similar) < maxNamedValues:
			similar = append(similar, fmt.Sprintf("%q", c.Name))
		}
	}
	switch {
	case len(found) == 1:
		return found[0].ID, nil
	case len(found) > 1:
		return 0, usageError{fmt.Errorf("several entries are called %q: use --context-id %d or another ID (see loadbay contexts %s)", name, found[0].ID, strings.ToUpper(kind))}
	case len(similar) > 0:
		return 0, usageError{fmt.Errorf("no entry is called %q; did you mean %s?", name, strings.Join(similar, " or "))}
	default:
		return 0, usageError{fmt.Errorf("no entry is called %q; see loadbay contexts %s", name, strings.ToUpper(kind))}
	}
}

func (a *app) contextsCommand() *cobra.Command {
	var limit int
	var search string
	c := a.withFormatFlags(&cobra.Command{
		Use: "contexts TYPE", Short: "List the periods or events that rows of a type can belong to", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(typesWithContext),
		Example: `  loadbay contexts MEMBERSHIP
  loadbay import members.xlsx --type MEMBERSHIP --period 2026`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			params := &api.ListContextsParams{Type: strings.ToUpper(given[0]), Q: nonZero(search), Size: new(min(limit, listPageSize))}
			return printPage(ctx, a, caller, limit, contextTable)(caller.API.ListContexts(ctx, params))
		}),
	})
	c.Flags().StringVar(&search, "search", "", "only entries with this text in their name")
	c.Flags().IntVar(&limit, "limit", 100, "maximum number of results")
	return c
}

func contextTable(entries []referenceEntry) *render.Table {
	t := &render.Table{Header: []string{"ID", "NAME", "STARTS ON"}}
	for _, e := range entries {
		t.Add(e.ID, e.Name, orDash(e.StartsOn))
	}
	return t
}

// typesWithContext completes the types with rows that belong to something.
func typesWithContext(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(t *api.ImportType) (word, title string) {
		if t.Context == nil {
			return "", ""
		}
		return t.Name, t.Context.Title
	})(c.API.ListImportTypes(ctx))
}

// contextsOfType completes the entries that rows of the type of a command can belong to: their names,
// or their IDs.
func contextsOfType(c *cobra.Command, byID bool) completionSource {
	return func(ctx context.Context, caller *client.Client) ([]cobra.Completion, error) {
		kind := c.Flags().Lookup("type")
		name := ""
		if kind != nil {
			name = kind.Value.String()
		} else if args := c.Flags().Args(); len(args) > 0 {
			name = args[0]
		}
		if name == "" {
			return nil, nil
		}
		return completeList(func(e *referenceEntry) (word, title string) {
			if byID {
				return fmt.Sprint(e.ID), e.Name
			}
			return e.Name, ""
		})(caller.API.ListContexts(ctx, &api.ListContextsParams{Type: strings.ToUpper(name)}))
	}
}
