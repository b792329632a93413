package command

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) adminCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "admin", Short: "Administer an installation (operators only)",
		Long: "Administer an installation. These commands require a token with the scope admin.",
	}
	organisations := &cobra.Command{Use: "organisations", Aliases: []string{"orgs"}, Short: "Manage the organisations of the installation"}
	organisations.AddCommand(a.organisationsList(), a.organisationsShow(), a.organisationsCreate(), a.organisationsRename(), a.organisationsQuotas(), a.organisationsMailDomains(), a.organisationsWholeTables(),
		a.organisationsActivate(), a.organisationsDeactivate(), a.organisationsErase())
	for _, r := range referenceCommands() {
		organisations.AddCommand(a.referenceCommand(r))
	}
	c.AddCommand(organisations, a.tablesCommand())
	return c
}

func (a *app) organisationsList() *cobra.Command {
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List the organisations by ID", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			params := &api.ListOrganisationsParams{Size: new(min(limit, listPageSize))}
			return printPage(ctx, a, caller, limit, organisationTable)(caller.API.ListOrganisations(ctx, params))
		}),
	})
	c.Flags().IntVar(&limit, "limit", 100, "maximum number of results")
	return c
}

func organisationTable(organisations []api.Organisation) *render.Table {
	t := &render.Table{Header: []string{"ID", "NAME", "ACTIVE", "CREATED"}}
	for i := range organisations {
		o := &organisations[i]
		t.Add(o.ID, o.Name, yesNo(o.Active), formatTime(&o.CreatedAt))
	}
	return t
}

func organisationDetails(o *api.Organisation) *render.Table {
	t := &render.Table{Header: []string{"PROPERTY", "VALUE"}}
	t.Add("id", o.ID)
	t.Add("name", o.Name)
	t.Add("active", yesNo(o.Active))
	t.Add("created", formatTime(&o.CreatedAt))
	t.Add("openImports", orDash(o.Quotas.OpenImports))
	t.Add("openExports", orDash(o.Quotas.OpenExports))
	t.Add("announcedBytes", orDash(o.Quotas.AnnouncedBytes))
	t.Add("requestsPerMinute", orDash(o.Quotas.RequestsPerMinute))
	t.Add("streams", orDash(o.Quotas.Streams))
	t.Add("mailDomains", cmp.Or(strings.Join(o.MailDomains, ", "), "-"))
	t.Add("unconfirmedMailDomains", cmp.Or(strings.Join(o.UnconfirmedMailDomains, ", "), "-"))
	return t
}

func (a *app) organisationsShow() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "show ID", Short: "Show an organisation and its quotas", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(organisationIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, organisationDetails)(caller.API.GetOrganisation(ctx, given[0]))
		}),
	})
}

func (a *app) organisationsCreate() *cobra.Command {
	var id int64
	c := a.withFormatFlags(&cobra.Command{
		Use: "create NAME", Short: "Create an organisation", Args: exactUsage(cobra.ExactArgs(1)),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, organisationDetails)(caller.API.CreateOrganisation(ctx, api.NewOrganisation{Name: given[0], ID: nonZero(id)}))
		}),
	})
	c.Flags().Int64Var(&id, "id", 0, "the organisation ID in the tokens")
	return c
}

func (a *app) organisationsRename() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "rename ID NAME", Short: "Rename an organisation", Args: exactUsage(cobra.ExactArgs(2)), ValidArgsFunction: a.completeArgs(organisationIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, organisationDetails)(caller.API.RenameOrganisation(ctx, given[0], api.RenameOrganisationJSONRequestBody{Name: given[1]}))
		}),
	})
}

func (a *app) organisationsQuotas() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "quotas ID [NAME=NUMBER...]", Short: "Replace the quotas of an organisation", Args: exactUsage(cobra.MinimumNArgs(1)), ValidArgsFunction: a.completeArgs(organisationIDs),
		Long:    "Replace the quotas of an organisation: openImports, openExports, announcedBytes,\nrequestsPerMinute, streams. Quotas that are not listed have the default.",
		Example: `  loadbay admin organisations quotas 7 openImports=50 requestsPerMinute=600`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			text, err := parseAssignments(given[1:])
			if err != nil {
				return err
			}
			return printValue(a, organisationDetails)(caller.API.SetQuotasWithBody(ctx, given[0], "application/json", bytes.NewReader(text)))
		}),
	})
}

func (a *app) organisationsMailDomains() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "mail-domains ID [DOMAIN...]", Short: "Confirm the e-mail domains of an organisation", Args: exactUsage(cobra.MinimumNArgs(1)), ValidArgsFunction: a.completeArgs(organisationIDs),
		Long: `Confirm the e-mail domains of an organisation. The list replaces the confirmed domains. Mail is sent
to domains that are confirmed and listed in the organisation's settings.`,
		Example: `  loadbay admin organisations mail-domains 7 example.org example.com`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			body := api.ConfirmedDomains{MailDomains: append([]string{}, given[1:]...)}
			return printValue(a, organisationDetails)(caller.API.ConfirmMailDomains(ctx, given[0], body))
		}),
	})
}

func (a *app) organisationsWholeTables() *cobra.Command {
	var forbid bool
	c := a.withFormatFlags(&cobra.Command{
		Use: "whole-tables ID", Short: "Let an organisation declare types for all tables and rows", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(organisationIDs),
		Long: `Let an organisation declare types for all tables and rows of the database, also those that are
granted to others. The only organisation of an installation may, until another one is created.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, organisationDetails)(caller.API.AllowWholeTables(ctx, given[0], api.WholeTables{WholeTables: !forbid}))
		}),
	})
	c.Flags().BoolVar(&forbid, "forbid", false, "forbid it; types that exist do not change")
	return c
}

func (a *app) organisationsActivate() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "activate ID", Short: "Reactivate an organisation", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(organisationIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, organisationDetails)(caller.API.ActivateOrganisation(ctx, given[0]))
		}),
	})
}

func (a *app) organisationsDeactivate() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "deactivate ID", Short: "Deactivate an organisation: reject new imports and exports", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(organisationIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, organisationDetails)(caller.API.DeactivateOrganisation(ctx, given[0]))
		}),
	})
}

func (a *app) organisationsErase() *cobra.Command {
	var yes bool
	c := a.withFormatFlags(&cobra.Command{
		Use: "erase ID PERSON", Short: "Erase a person and their data from imports", Args: exactUsage(cobra.ExactArgs(2)), ValidArgsFunction: a.completeArgs(organisationIDs),
		Long: `Erase a person permanently, with all data from imports. PERSON is the ID, or a unique e-mail
address or identity number.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if err := a.confirm(fmt.Sprintf("Erase %s permanently?", given[1]), yes); err != nil {
				return err
			}
			return a.erasePerson(ctx, caller, given[0], given[1])
		}),
	})
	return confirmFlag(c, &yes)
}

// erasePerson repeats the request until nothing of a person is left.
func (a *app) erasePerson(ctx context.Context, caller *client.Client, organisation, person string) error {
	var total api.Erasure
	for !total.Complete {
		part, err := client.Read[api.Erasure](caller.API.ErasePerson(ctx, organisation, person))
		if err != nil {
			return err
		}
		total = api.Erasure{Complete: part.Complete, ErasedChanges: total.ErasedChanges + part.ErasedChanges, OpenImports: part.OpenImports}
	}
	if total.OpenImports > 0 {
		a.notify("%d imports are not finished and may contain the person. Erase again when they are finished.", total.OpenImports)
	}
	return a.print(total, func() *render.Table {
		t := &render.Table{Header: []string{"ERASED CHANGES", "OPEN IMPORTS"}}
		t.Add(total.ErasedChanges, total.OpenImports)
		return t
	})
}

// organisationIDs completes organisations.
func organisationIDs(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(o *api.Organisation) (word, title string) { return strconv.FormatInt(o.ID, 10), o.Name })(c.API.ListOrganisations(ctx, nil))
}
