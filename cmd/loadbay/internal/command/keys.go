package command

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadbay/loadbay/client"
	"github.com/loadbay/loadbay/client/api"
	"github.com/loadbay/loadbay/cmd/loadbay/internal/render"
)

func (a *app) keysCommand() *cobra.Command {
	c := &cobra.Command{
		Use: "keys", Aliases: []string{"key"}, Short: "Manage the API keys of the organisation",
		Long: `Manage the API keys of the organisation, for programs without an identity provider. Set
LOADBAY_TOKEN to a key instead of a token.`,
	}
	c.AddCommand(a.keysList(), a.keysCreate(), a.keysRotate(), a.keysRevoke())
	return c
}

func (a *app) keysList() *cobra.Command {
	var all bool
	c := a.withFormatFlags(&cobra.Command{
		Use: "list", Short: "List the API keys, newest first", Aliases: []string{"ls"}, Args: exactUsage(cobra.NoArgs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, _ []string) error {
			found, err := client.Read[[]api.APIKey](caller.API.ListAPIKeys(ctx))
			if err != nil {
				return err
			}
			keys := []api.APIKey{}
			for _, k := range *found {
				if all || keyState(&k) == keyActive {
					keys = append(keys, k)
				}
			}
			return a.print(keys, func() *render.Table { return keyTable(keys) })
		}),
	})
	c.Flags().BoolVar(&all, "all", false, "with revoked and expired keys")
	return c
}

// keyActive is the state of a key that is accepted.
const keyActive = "active"

func keyState(k *api.APIKey) string {
	switch {
	case k.RevokedAt != nil:
		return "revoked"
	case k.ExpiresAt.Before(time.Now()):
		return "expired"
	default:
		return keyActive
	}
}

func keyTable(keys []api.APIKey) *render.Table {
	t := &render.Table{Header: []string{"ID", "NAME", "STATE", "EXPIRES", "LAST USE", "SCOPES", "CREATED BY"}, Optional: []string{"CREATED BY", "SCOPES", "STATE", "LAST USE"}}
	for i := range keys {
		k := &keys[i]
		t.Add(k.ID, k.Name, keyState(k), formatTime(&k.ExpiresAt), formatTime(k.LastUsedAt), strings.Join(k.Scopes, " "), orDash(k.CreatedBy))
	}
	return t
}

// keyDetails shows a new key, which is not shown again.
func keyDetails(k *api.APIKey) *render.Table {
	t := &render.Table{Header: []string{"PROPERTY", "VALUE"}}
	t.Add("id", k.ID)
	t.Add("name", k.Name)
	t.Add("scopes", strings.Join(k.Scopes, " "))
	t.Add("expires", formatTime(&k.ExpiresAt))
	if k.PreviousUntil != nil {
		t.Add("former key until", formatTime(k.PreviousUntil))
	}
	t.Add("key", orDash(k.Key))
	return t
}

// defaultKeyDays is the default lifetime of a key.
const defaultKeyDays = 90

func keyDaysFlag(flags *pflag.FlagSet, days *int) {
	flags.IntVar(days, "expires-in-days", defaultKeyDays, "the lifetime of the key, from 1 to 366 days")
}

func (a *app) keysCreate() *cobra.Command {
	var scopes []string
	var days int
	c := a.withFormatFlags(&cobra.Command{
		Use: "create NAME", Short: "Create an API key, which is printed once", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: cobra.NoFileCompletions,
		Long: `Create an API key, which is printed once. It can have scopes that you have yourself; loadbay whoami
lists them. An organisation can have 50 keys.`,
		Example: `  loadbay keys create nightly --scope imports:read,imports:write
  LOADBAY_TOKEN=$(loadbay keys create ci --scope imports:read --jq .key) loadbay imports list`,
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			if len(scopes) == 0 {
				return usageError{errors.New("set what the key may do with --scope; loadbay whoami lists your scopes")}
			}
			return printValue(a, keyDetails)(caller.API.CreateAPIKey(ctx, api.CreateAPIKeyJSONRequestBody{Name: given[0], Scopes: scopes, ExpiresInDays: &days}))
		}),
	})
	c.Flags().StringSliceVar(&scopes, "scope", nil, "what the key may do, such as imports:write; can be repeated")
	_ = c.RegisterFlagCompletionFunc("scope", a.dynamicCompletion(ownScopes))
	keyDaysFlag(c.Flags(), &days)
	return c
}

func (a *app) keysRotate() *cobra.Command {
	var days int
	c := a.withFormatFlags(&cobra.Command{
		Use: "rotate ID", Short: "Replace an API key; the former one is accepted for 24 hours", Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(keyIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			id, err := parseID(given[0])
			if err != nil {
				return err
			}
			return printValue(a, keyDetails)(caller.API.RotateAPIKey(ctx, id, api.RotateAPIKeyJSONRequestBody{ExpiresInDays: &days}))
		}),
	})
	keyDaysFlag(c.Flags(), &days)
	return c
}

func (a *app) keysRevoke() *cobra.Command {
	var yes bool
	return confirmFlag(&cobra.Command{
		Use: "revoke ID", Short: "Revoke an API key at once", Aliases: []string{"rm", "delete"}, Args: exactUsage(cobra.ExactArgs(1)), ValidArgsFunction: a.completeArgs(keyIDs),
		RunE: a.withClient(func(ctx context.Context, caller *client.Client, given []string) error {
			id, err := parseID(given[0])
			if err != nil {
				return err
			}
			if err := a.confirm("Revoke the key? Programs that use it are refused at once.", yes); err != nil {
				return err
			}
			return client.Do(caller.API.RevokeAPIKey(ctx, id))
		}),
	}, &yes)
}

// keyIDs completes the active keys.
func keyIDs(ctx context.Context, c *client.Client) ([]cobra.Completion, error) {
	return completeList(func(k *api.APIKey) (word, title string) {
		if keyState(k) != keyActive {
			return "", ""
		}
		return k.ID.String(), k.Name
	})(c.API.ListAPIKeys(ctx))
}

// ownScopes completes the scopes of the caller.
func ownScopes(ctx context.Context, caller *client.Client) ([]cobra.Completion, error) {
	found, err := client.Read[identity](caller.API.GetMe(ctx))
	if err != nil {
		return nil, err
	}
	return found.Scopes, nil
}
