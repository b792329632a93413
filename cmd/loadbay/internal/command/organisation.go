package command

import (
	"context"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) organisationCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "organisation", Aliases: []string{"organization"}, Short: "Export or delete the whole organisation",
		Long: `Export everything that the organisation owns, or delete the organisation. This needs the scope
organisation:write.`,
	}
	c.AddCommand(a.organisationExport(), a.organisationDelete(), a.organisationConfirm(), a.organisationWithdraw(), a.organisationDeletion())
	return c
}

func (a *app) organisationExport() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "export", Short: "Request an archive of everything that the organisation owns", Args: exactUsage(cobra.NoArgs),
		Long: `Request an archive of everything that the organisation owns: a ZIP file with a manifest. loadbay
exports show ID shows the progress, and loadbay exports download ID saves the file.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, exportDetails)(caller.API.ExportOrganisation(ctx, nil))
		}),
	})
}

func (a *app) organisationDelete() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "delete", Short: "Request the deletion of the organisation; nothing is deleted yet", Args: exactUsage(cobra.NoArgs),
		Long: `Request the deletion of the organisation. Nothing is deleted yet: confirm the request within 7 days
with loadbay organisation confirm NAME, or withdraw it with loadbay organisation withdraw. If plans
of the organisation are approved by another person, another person has to confirm.`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, deletionDetails)(caller.API.RequestOrganisationDeletion(ctx))
		}),
	})
}

func (a *app) organisationConfirm() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "confirm NAME", Short: "Confirm the deletion of the organisation with its exact name", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: cobra.NoFileCompletions,
		Long: `Confirm the deletion of the organisation with its exact name. This cannot be undone: from then on
nothing can be changed, and all rows in Loadbay's tables and all files are deleted. Rows in the
tables of declared types are kept.`,
		Example: `  loadbay organisation confirm 'Harbour Athletics'`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, deletionDetails)(caller.API.ConfirmOrganisationDeletion(ctx, api.ConfirmOrganisationDeletionJSONRequestBody{Name: given[0]}))
		}),
	})
}

func (a *app) organisationWithdraw() *cobra.Command {
	return &cobra.Command{
		Use: "withdraw", Short: "Withdraw the request for the deletion of the organisation", Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return client.Do(caller.API.WithdrawOrganisationDeletion(ctx))
		}),
	}
}

func (a *app) organisationDeletion() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "deletion", Short: "Show the deletion of the organisation, or its receipt", Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, deletionDetails)(caller.API.GetOrganisationDeletion(ctx))
		}),
	})
}

func deletionDetails(d *api.OrganisationDeletion) *render.Table {
	t := &render.Table{Header: []string{"PROPERTY", "VALUE"}}
	t.Add("state", formatEnum(d.Status))
	t.Add("organisation", d.OrganisationID)
	t.Add("name", orDash(d.Name))
	t.Add("requested", formatTime(&d.RequestedAt))
	t.Add("requested by", orDash(d.RequestedBy))
	t.Add("needs another person", d.NeedsOtherPerson)
	t.Add("confirm until", formatTime(&d.ExpiresAt))
	t.Add("confirmed", formatTime(d.ConfirmedAt))
	t.Add("completed", formatTime(d.CompletedAt))
	t.Add("deleted files", d.DeletedFiles)
	for _, table := range slices.Sorted(maps.Keys(d.DeletedRows)) {
		t.Add("deleted rows of "+table, d.DeletedRows[table])
	}
	return t
}
