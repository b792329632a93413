package command

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) tablesCommand() *cobra.Command {
	c := &cobra.Command{Use: "tables", Short: "Manage the tables that organisations may declare types for"}
	c.AddCommand(a.tablesList(), a.tablesGrant(), a.tablesRevoke())
	return c
}

func (a *app) tablesList() *cobra.Command {
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List the grants of tables", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			params := &api.ListTableGrantsParams{Size: new(min(limit, listPageSize))}
			return printPage(ctx, a, caller, limit, grantTable)(caller.API.ListTableGrants(ctx, params))
		}),
	})
	c.Flags().IntVar(&limit, "limit", 100, "maximum number of results")
	return c
}

func grantTable(grants []api.TableGrant) *render.Table {
	t := &render.Table{Header: []string{"ID", "TABLE", "ORGANISATIONS", "TENANT", "MODES", "GRANTED BY"}}
	for i := range grants {
		addGrant(t, &grants[i])
	}
	return t
}

func grantRow(g *api.TableGrant) *render.Table {
	return grantTable([]api.TableGrant{*g})
}

func addGrant(t *render.Table, g *api.TableGrant) {
	organisations, modes := "all", strings.Join(g.Modes, ", ")
	if !g.EveryOrganisation {
		organisations = strings.Trim(fmt.Sprint(g.Organisations), "[]")
	}
	switch {
	case g.ReferenceOnly:
		modes = "references"
	case modes == "":
		modes = "all"
	}
	t.Add(g.ID, g.Table, organisations, tenantText(&g.Tenant), modes, orDash(g.GrantedBy))
}

// tenantText returns the rows of a grant, as in the flags of the command that grants them.
func tenantText(of *api.TableTenant) string {
	var parts []string
	if of.Column != nil && of.Value != nil {
		parts = append(parts, *of.Column+"="+*of.Value)
	}
	if of.Session != nil {
		for _, name := range slices.Sorted(maps.Keys(*of.Session)) {
			parts = append(parts, name+"="+(*of.Session)[name])
		}
	}
	if len(parts) == 0 {
		return "all rows"
	}
	return strings.Join(parts, ", ")
}

// tenantFlags are the flags for the rows of a grant.
type tenantFlags struct {
	column, value string
	session       []string
	allRows       bool
}

func (f *tenantFlags) tenant() api.TableTenant {
	var of api.TableTenant
	if f.allRows {
		of.None = new(true)
	}
	if f.column != "" {
		of.Column, of.Value = &f.column, &f.value
	}
	for _, name := range f.session {
		name, value, given := strings.Cut(name, "=")
		if !given {
			value = f.value
		}
		if of.Session == nil {
			of.Session = &map[string]string{}
		}
		(*of.Session)[name] = value
	}
	return of
}

func (a *app) tablesGrant() *cobra.Command {
	var body api.NewTableGrant
	var organisations []int64
	var modes []string
	var every, referenceOnly bool
	var rows tenantFlags
	c := a.withFormatFlags(&cobra.Command{
		Use: "grant TABLE", Short: "Let organisations declare types for a table", Args: exactUsage(cobra.ExactArgs(1)),
		Long: `Let organisations declare types for a table, schema.table. --column names the column with the id of
the organisation, --session a setting that the policies of the table read, and --all-rows gives all
rows to one organisation. A declaration must have the same tenant.`,
		Example: `  loadbay admin tables grant crm.accounts --every --column org_id
  loadbay admin tables grant shop.products --organisation 7 --all-rows
  loadbay admin tables grant shop.countries --every --all-rows --reference-only`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			body.Table, body.Tenant = given[0], rows.tenant()
			body.Organisations, body.EveryOrganisation, body.ReferenceOnly = &organisations, &every, &referenceOnly
			if len(modes) > 0 {
				body.Modes = new([]api.NewTableGrantModes)
				for _, mode := range modes {
					*body.Modes = append(*body.Modes, api.NewTableGrantModes(mode))
				}
			}
			return printValue(a, grantRow)(caller.API.GrantTable(ctx, body))
		}),
	})
	c.Flags().Int64SliceVar(&organisations, "organisation", nil, "ID of an organisation; can be repeated")
	c.Flags().BoolVar(&every, "every", false, "grant the table to all organisations, also new ones")
	c.Flags().StringVar(&rows.column, "column", "", "column with the organisation")
	c.Flags().StringVar(&rows.value, "value", "organisation", "value of the column and settings, if it is not the ID of the organisation")
	c.Flags().StringArrayVar(&rows.session, "session", nil, "setting of the session, NAME or NAME=VALUE; can be repeated")
	c.Flags().BoolVar(&rows.allRows, "all-rows", false, "all rows of the table belong to the organisation")
	c.Flags().StringSliceVar(&modes, "mode", nil, "mode that declarations may have (default all); can be repeated")
	c.Flags().BoolVar(&referenceOnly, "reference-only", false, "allow references to the table, and no type")
	return c
}

func (a *app) tablesRevoke() *cobra.Command {
	return &cobra.Command{
		Use: "revoke GRANT", Short: "Revoke the grant of a table", Args: exactUsage(cobra.ExactArgs(1)),
		Long: `Revoke the grant of a table. No import or export starts with its types any more; imports that have
started are finished, and can be undone.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			id, err := parseID(given[0])
			if err != nil {
				return err
			}
			return client.Do(caller.API.RevokeTable(ctx, id))
		}),
	}
}
