package command

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) historyCommand() *cobra.Command {
	var by string
	c := a.withFormatFlags(&cobra.Command{
		Use: "history TYPE KEY", Short: "Show which imports set the values of an entity", Args: exactUsage(cobra.ExactArgs(2)),
		ValidArgsFunction: a.completeArgs(typeNames),
		Example: `  loadbay history USER ann@example.org --by EMAIL
  loadbay history USER 0b9f2c1e-8a55-4a30-9a51-0b1f0d6c1b1a --jq '.changes[].source.originalFilename'`,
		RunE: func(c *cobra.Command, given []string) error {
			caller, err := a.client()
			if err != nil {
				return err
			}
			params := &api.GetEntityHistoryParams{}
			if by != "" {
				params.By = new(strings.ToUpper(by))
			}
			found, err := client.Read[api.EntityHistory](caller.API.GetEntityHistory(c.Context(), strings.ToUpper(given[0]), given[1], params))
			if err != nil {
				return fmt.Errorf("%s: %w", given[1], err)
			}
			return a.print(found, func() *render.Table { return historyTable(found) })
		},
	})
	c.Flags().StringVar(&by, "by", "", "the field that contains KEY, instead of the ID")
	return c
}

// historyTable has a line for each value of the entity.
func historyTable(h *api.EntityHistory) *render.Table {
	t := &render.Table{Header: []string{"TABLE", "FIELD", "VALUE", "FILE", "ROW", "BY", "EDITED SINCE"}}
	for _, v := range h.Values {
		edited := "-"
		if v.Edited {
			edited = "yes"
		}
		if v.Source == nil {
			t.Add(v.Table, v.Field, orDash(v.Value), "-", "-", "-", edited)
			continue
		}
		t.Add(v.Table, v.Field, orDash(v.Value), v.Source.OriginalFilename, v.Source.RowNumber, orDash(v.Source.Uploader), edited)
	}
	return t
}
