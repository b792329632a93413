package command

import (
	"context"
	"fmt"
	"strings"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) webhooksCommand() *cobra.Command {
	c := &cobra.Command{Use: "webhooks", Aliases: []string{"webhook"}, Short: "Manage the webhook of the organisation"}
	c.AddCommand(a.webhooksShow(), a.webhooksSet(), a.webhooksRotate(), a.webhooksTest(), a.webhooksDeliveries(), a.webhooksRedeliver(), a.webhooksDelete())
	return c
}

func (a *app) webhooksShow() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "show", Short: "Show the registered URL", Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, webhookTable)(caller.API.GetWebhook(ctx))
		}),
	})
}

func webhookTable(w *api.Webhook) *render.Table {
	t := &render.Table{Header: []string{"PROPERTY", "VALUE"}}
	t.Add("address", w.URL)
	t.Add("enabled", yesNo(w.Enabled))
	t.Add("changed", formatTime(&w.UpdatedAt))
	if w.Secret != nil {
		t.Add("secret", *w.Secret)
	}
	return t
}

func (a *app) webhooksSet() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "set ADDRESS", Short: "Register or change the URL", Args: exactUsage(cobra.ExactArgs(1)),
		Long:    "Register or change the URL. At the first registration, the secret that signs the messages is\nprinted once.",
		Example: `  loadbay webhooks set https://hooks.example.org/loadbay`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			return printValue(a, webhookTable)(caller.API.SetWebhook(ctx, api.SetWebhookJSONRequestBody{URL: given[0]}))
		}),
	})
}

func (a *app) webhooksRotate() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "rotate-secret", Short: "Replace the secret; the previous secret stays valid for 24 hours", Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, webhookTable)(caller.API.RotateWebhookSecret(ctx))
		}),
	})
}

func (a *app) webhooksTest() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "test", Short: "Send a test message; its outcome is listed by deliveries", Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			return printValue(a, deliveryDetails)(caller.API.TestWebhook(ctx))
		}),
	})
}

func (a *app) webhooksDeliveries() *cobra.Command {
	var status string
	var limit int
	c := a.withFormatFlags(&cobra.Command{
		Use: "deliveries", Short: "List the messages and their outcomes, newest first", Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			params := &api.ListWebhookDeliveriesParams{Size: new(min(limit, listPageSize))}
			params.Status = nonZero(api.ListWebhookDeliveriesParamsStatus(strings.ToUpper(status)))
			return printPage(ctx, a, caller, limit, deliveryTable)(caller.API.ListWebhookDeliveries(ctx, params))
		}),
	})
	c.Flags().StringVar(&status, "status", "", "only messages with this status: pending, delivered or failed")
	c.Flags().IntVar(&limit, "limit", 30, "maximum number of results")
	return c
}

func deliveryDetails(d *api.WebhookDelivery) *render.Table {
	return deliveryTable([]api.WebhookDelivery{*d})
}

func deliveryTable(deliveries []api.WebhookDelivery) *render.Table {
	t := &render.Table{Header: []string{"EVENT", "TYPE", "STATE", "ATTEMPTS", "STATUS", "FAULT", "CREATED", "NEXT"}}
	for i := range deliveries {
		d := &deliveries[i]
		t.Add(d.EventID, d.Type, formatEnum(d.Status), d.Attempts, orDash(d.HTTPStatus), orDash(d.Fault), formatTime(&d.CreatedAt), formatTime(d.NextAttemptAt))
	}
	return t
}

func (a *app) webhooksRedeliver() *cobra.Command {
	return a.withFormatFlags(&cobra.Command{
		Use: "redeliver EVENT", Short: "Send a message again", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(deliveryIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			event, err := parseID(given[0])
			if err != nil {
				return err
			}
			return printValue(a, deliveryDetails)(caller.API.RedeliverWebhookEvent(ctx, event))
		}),
	})
}

// parseID parses an id of the API.
func parseID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil {
		return id, usageError{fmt.Errorf("%q is not an ID", text)}
	}
	return id, nil
}

func (a *app) webhooksDelete() *cobra.Command {
	var yes bool
	return confirmFlag(&cobra.Command{
		Use: "delete", Short: "Delete the webhook", Aliases: []string{"rm"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			if err := a.confirm("Delete the webhook? Pending messages will not be delivered.", yes); err != nil {
				return err
			}
			return client.Do(caller.API.DeleteWebhook(ctx))
		}),
	}, &yes)
}
